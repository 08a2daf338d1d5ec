// What the command line costs before it does anything: CPU of `exai --version` and `--help` against bare Node.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { median, report } from '../report.ts';

const RUNS = 25;
const GOAL_RATIO = 1.5;
const exai = resolve('bin/exai.cjs');

interface Candidate {
  readonly what: string;
  readonly args: readonly string[];
  readonly samples: number[];
}
const bare: Candidate = { what: 'node -e 0', args: ['-e', '0'], samples: [] };
const ours: readonly Candidate[] = ['--version', '--help'].map((flag) => ({
  what: `exai ${flag}`,
  args: [exai, flag],
  samples: [],
}));

/** User and system time of one run. Bash's own `time` asks the kernel, so nothing is added to what is measured. */
function cpuMs(args: readonly string[]): number {
  const script = '{ TIMEFORMAT="%3U %3S"; time "$@" >/dev/null; } 2>&1';
  const argv = ['--norc', '-c', script, 'bash', process.execPath, ...args];
  // An empty environment: NODE_EXTRA_CA_CERTS and its like cost more than what is measured.
  const times = execFileSync('bash', argv, { encoding: 'utf8', env: {} });
  return times.split(' ').reduce((sum, seconds) => sum + Number(seconds) * 1000, 0);
}

// Interleaved, so that a busy moment of the machine falls on all alike; the first round only warms the disk cache.
for (let run = 0; run <= RUNS; run++) {
  for (const { args, samples } of [bare, ...ours]) {
    const ms = cpuMs(args);
    if (run > 0) samples.push(ms);
  }
}

const floor = median(bare.samples);
report('start', [
  { what: `${bare.what}: CPU`, value: floor, unit: 'ms' },
  ...ours.map(({ what, samples }) => {
    const value = median(samples);
    const ratio = value / floor;
    const goal = `≤ ${GOAL_RATIO} × bare Node`;
    return { what: `${what}: CPU`, value, unit: 'ms', ratio, goal, ok: ratio <= GOAL_RATIO };
  }),
]);
