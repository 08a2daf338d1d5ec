// What a daemon holds and burns while nobody asks it anything.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { report } from '../report.ts';

// V8 tidies up once, some eight seconds after a start: neither that work nor what it throws away is
// idling.
const SETTLE_MS = 15_000;
const WATCH_MS = 10_000;
const GOAL_MB = 110;
const TICK_MS = 10;
const exai = resolve('bin/exai.cjs');

const home = mkdtempSync(join(tmpdir(), 'exai-idle-'));
const daemon = spawn(process.execPath, [exai, 'serve', '--port', '0'], {
  env: { HOME: home, EXAI_HOME: home, EXAI_AUTH_REQUIRE_TOKEN: 'false' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const gone = once(daemon, 'exit');
try {
  await once(daemon.stdout, 'data');
  await sleep(SETTLE_MS);
  const mb = residentMb();
  const before = cpuMs();
  await sleep(WATCH_MS);
  const burntMs = ((cpuMs() - before) * 1000) / WATCH_MS;
  report('idle', [
    { what: 'resident memory', value: mb, unit: 'MB', goal: `≤ ${GOAL_MB} MB`, ok: mb <= GOAL_MB },
    { what: 'CPU per second', value: burntMs, unit: 'ms' },
  ]);
} finally {
  daemon.kill();
  await gone;
  rmSync(home, { recursive: true, force: true });
}

function residentMb(): number {
  const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}

/** User and system time so far; the kernel counts them in ticks. */
function cpuMs(): number {
  const stat = readFileSync(`/proc/${daemon.pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
