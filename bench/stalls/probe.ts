/**
 * Loaded into the daemon before its program. It measures how long the event loop ran nothing else,
 * and the CPU time of the main thread meanwhile, which tells our own work from a busy machine.
 * With `profile` it also names what ran in the longest gap.
 */
import { openSync, readSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/** Times in milliseconds. */
export interface Gap {
  readonly wall: number;
  readonly cpu: number;
}

export interface ProbeAnswer {
  /** The gap with the longest wall time, and the one with the most CPU time. */
  readonly longest: Gap;
  readonly busiest: Gap;
  /** Gaps with more than 50 ms of CPU time. */
  readonly over: number;
  readonly profile?: readonly string[];
}

export type ProbeRequest = 'begin' | 'profile' | 'end';

const TICK_MS = 1;
const OVER_MS = 50;
const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;
const SAMPLE_US = 500;
const LINES = 14;

if (isMainThread && process.send) probe();

function probe(): void {
  const cpuNow = threadClock();
  const session = new Session();
  let last = performance.now();
  let lastCpu = cpuNow();
  let longest: Gap = { wall: 0, cpu: 0 };
  let busiest: Gap & { readonly from?: number; readonly to?: number } = longest;
  let over = 0;
  let isProfiled = false;

  function tick(): void {
    const now = performance.now();
    const cpu = cpuNow();
    const gap = { wall: now - last - TICK_MS, cpu: cpu - lastCpu };
    if (gap.wall > longest.wall) longest = gap;
    if (gap.cpu > busiest.cpu) busiest = { ...gap, from: last, to: now };
    if (gap.cpu > OVER_MS) over += 1;
    last = now;
    lastCpu = cpu;
    setTimeout(tick, TICK_MS).unref();
  }
  tick();

  process.on('message', (request: ProbeRequest) => {
    if (request !== 'end') {
      isProfiled = request === 'profile';
      if (isProfiled) startProfile(session);
      longest = busiest = { wall: 0, cpu: 0 };
      over = 0;
      last = performance.now();
      lastCpu = cpuNow();
      process.send?.('begun');
      return;
    }
    const { wall, cpu, from = 0, to = 0 } = busiest;
    const answer: ProbeAnswer = { longest, busiest: { wall, cpu }, over };
    if (!isProfiled) return void process.send?.(answer);
    session.post('Profiler.stop', (_failed, { profile }) => {
      session.disconnect();
      process.send?.({ ...answer, profile: within(profile, from, to) });
    });
  });
  process.channel?.unref();
}

function startProfile(session: Session): void {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  session.post('Profiler.start');
}

/** CPU time of the main thread in ms: Linux tells it per thread, other systems per process. */
function threadClock(): () => number {
  const { pid } = process;
  const buffer = Buffer.alloc(128);
  try {
    const file = openSync(`/proc/self/task/${pid}/schedstat`, 'r');
    return () => {
      const read = readSync(file, buffer, 0, buffer.length, 0);
      return Number(buffer.toString('latin1', 0, read).split(' ', 1)[0]) / NS_PER_MS;
    };
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / US_PER_MS;
    };
  }
}

/** What ran between two times of `performance.now()`, the functions with the most time first. */
function within(profile: Profiler.Profile, from: number, to: number): string[] {
  // The profile's clock is that of the machine, in microseconds.
  const zero = Number(process.hrtime.bigint()) / US_PER_MS - performance.now() * US_PER_MS;
  const { nodes, samples = [], timeDeltas = [], startTime } = profile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const own = new Map<number, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    at += delta;
    if (at < from * US_PER_MS + zero || at > to * US_PER_MS + zero) continue;
    own.set(id, (own.get(id) ?? 0) + delta);
  }
  const name = (id: number): string => {
    const frame = byId.get(id)?.callFrame;
    const file = frame?.url.split('/').at(-1) ?? '';
    return `${frame?.functionName || '(anonymous)'} ${file}:${(frame?.lineNumber ?? 0) + 1}`;
  };
  return [...own]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LINES)
    .map(([id, us]) => {
      const stack: string[] = [];
      for (let each: number | undefined = id; each !== undefined; each = parents.get(each)) {
        stack.push(name(each));
      }
      return `${(us / US_PER_MS).toFixed(0)} ms  ${stack.slice(0, 9).join(' < ')}`;
    });
}
