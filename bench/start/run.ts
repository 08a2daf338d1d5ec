// What the command line costs before it does anything: CPU of `exai --version` and `--help`, of the
// shim until it has answered a client's `initialize`, and of the daemon until it listens, against
// bare Node. A stdio server in one line of JavaScript shows what Node's own streams take of that.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median, report } from '../report.ts';
import { standIn } from './stand-in.ts';

const RUNS = 40;
const exai = resolve('bin/exai.cjs');
const home = mkdtempSync(join(tmpdir(), 'exai-bench-'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {}, elicitation: {} },
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
})}\n`;
const ONE_LINE_SERVER =
  "process.stdin.on('data',(d)=>process.stdout.write(JSON.stringify({jsonrpc:'2.0',id:JSON.parse(d).id,result:{}})+'\\n'))";

interface Candidate {
  readonly what: string;
  readonly args: readonly string[];
  /** Measured until it has ended, or until it has answered. */
  readonly until: 'end' | 'answer';
  readonly goalRatio?: number;
  /** Default: that of the daemon that answers the shim. */
  readonly home?: string;
  readonly samples: number[];
}
const bare: Candidate = { what: 'node -e 0', args: ['-e', '0'], until: 'end', samples: [] };
const others: readonly Candidate[] = [
  { what: 'exai --version', args: [exai, '--version'], until: 'end', goalRatio: 1.5, samples: [] },
  { what: 'exai --help', args: [exai, '--help'], until: 'end', goalRatio: 1.5, samples: [] },
  {
    what: 'stdio server of one line, to `initialize` answer',
    args: ['-e', ONE_LINE_SERVER],
    until: 'answer',
    samples: [],
  },
  {
    what: 'exai stdio, to `initialize` answer',
    args: [exai, 'stdio'],
    until: 'answer',
    goalRatio: 1.2,
    samples: [],
  },
  {
    what: 'exai serve, to `listening`',
    args: [exai, 'serve', '--port', '0'],
    until: 'answer',
    home: join(home, 'served'),
    samples: [],
  },
];

/**
 * User and system time of one run. Bash's own `time` asks the kernel, so nothing is added to what
 * is measured.
 */
function cpuMs({ args, until, home: own = home }: Candidate): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@"';
  // An empty environment: NODE_EXTRA_CA_CERTS and its like cost more than what is measured.
  const env = { EXAI_HOME: own, HOME: home };
  const argv = ['--norc', '-c', script, 'bash', process.execPath, ...args];
  const bash = spawn('bash', argv, { env });
  let said = '';
  let times = '';
  bash.stdout.on('data', (chunk) => {
    said += String(chunk);
    if (until === 'answer' && said.includes('\n')) killChild(bash.pid ?? 0);
  });
  bash.stderr.on('data', (chunk) => (times += String(chunk)));
  if (until === 'answer') bash.stdin.write(INITIALIZE);
  else bash.stdin.end();
  return new Promise((done, fail) => {
    bash.once('error', fail);
    bash.once('close', () => {
      const found = /(\d+\.\d{3}) (\d+\.\d{3})\s*$/.exec(times);
      if (found) done((Number(found[1]) + Number(found[2])) * 1000);
      else fail(new Error(`no times of ${args.join(' ')}: ${times}`));
    });
  });
}

/** The moment of the answer is the end of what is measured. */
function killChild(pid: number): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const child of children.trim().split(' ')) process.kill(Number(child), 'SIGKILL');
}

const daemon = await standIn(join(home, 'daemon.sock'), version);
// Interleaved, so that a busy moment of the machine falls on all alike; the first round only warms
// the disk cache.
for (let run = 0; run <= RUNS; run++) {
  for (const candidate of [bare, ...others]) {
    const ms = await cpuMs(candidate);
    if (run > 0) candidate.samples.push(ms);
  }
}
daemon.close();
rmSync(home, { recursive: true, force: true });

const floor = median(bare.samples);
report('start', [
  { what: `${bare.what}: CPU`, value: floor, unit: 'ms' },
  ...others.map(({ what, samples, goalRatio }) => {
    const value = median(samples);
    const ratio = value / floor;
    const goal = goalRatio && { goal: `≤ ${goalRatio} × bare Node`, ok: ratio <= goalRatio };
    return { what: `${what}: CPU`, value, unit: 'ms', ratio, ...goal };
  }),
]);
