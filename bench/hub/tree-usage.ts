import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

interface ProcessStat {
  readonly parent: number;
  /** User and system time so far, its own and that of children that have ended. */
  readonly cpuMs: number;
}

/** User and system time of a process and of everything that it started. */
export function treeCpuMs(root: number): number {
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined;
    if (stat) stats.set(Number(name), stat);
  }
  let sum = 0;
  for (const [pid, { cpuMs }] of stats) if (isWithin(pid, root, stats)) sum += cpuMs;
  return sum;
}

function isWithin(pid: number, root: number, stats: ReadonlyMap<number, ProcessStat>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = stats.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

function readStat(pid: string): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].map((at) => Number(fields[at]));
    return { parent: Number(fields[1]), cpuMs: ticks.reduce((a, b) => a + b, 0) * TICK_MS };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}
