// A tool call over HTTP, in both eras: what it costs the daemon, with a client's token, validation
// and audit, beside the plain SDK servers and bare node:http.
import { median, type BenchRow } from '../report.ts';
import { openModernLoad, openSessionLoad, type HttpLoad } from './http-load.ts';
import type { HttpTarget } from './http-session.ts';
import type { Subject } from './subject.ts';

const ROUNDS = 7;
const WARM_UP_CALLS = 5000;
const SCALES = {
  many: { inFlight: 64, calls: 8000 },
  one: { inFlight: 1, calls: 3000 },
};
const GOAL_RATIO = 0.5;

export interface HttpSubjects {
  readonly raw: () => Promise<Subject>;
  readonly sdk: (kind: string) => Promise<Subject>;
  /** The daemon, and a client's token for it. */
  readonly ours: () => Promise<{ readonly subject: Subject; readonly token: string }>;
}

type Era = 'sessions' | 'modern';

interface Candidate {
  readonly what: string;
  /**
   * `plain` is the one of its era that the others are compared with: the SDK as its manual has it.
   */
  readonly who: 'plain' | 'peer' | 'ours';
  readonly era: Era;
  readonly subject: Subject;
  readonly load: HttpLoad;
  /** CPU per call in µs. */
  readonly cpu: Record<keyof typeof SCALES, number[]>;
}

export async function httpCallRows(subjects: HttpSubjects): Promise<BenchRow[]> {
  const all = await openAll(subjects);
  for (const { load } of all) {
    await load.connect(SCALES.many.inFlight);
    await load.run(WARM_UP_CALLS);
  }
  // Interleaved, so that a busy moment of the machine falls on all alike.
  for (let round = 0; round < ROUNDS; round++) {
    for (const { subject, load, cpu } of all) {
      cpu.many.push(await cpuPerCall(subject, load, SCALES.many));
      cpu.one.push(await cpuPerCall(subject, load, SCALES.one));
    }
  }
  for (const { load } of all) load.close();
  return [...rowsAt('many', all), ...rowsAt('one', all)];
}

/** Of the server, while so many are answered, so many at a time. */
export async function cpuPerCall(
  subject: Subject,
  load: HttpLoad,
  { inFlight, calls }: { readonly inFlight: number; readonly calls: number },
): Promise<number> {
  await load.connect(inFlight);
  const before = subject.cpuMs();
  await load.run(calls);
  return ((subject.cpuMs() - before) * 1000) / calls;
}

async function openAll({ raw, sdk, ours }: HttpSubjects): Promise<Candidate[]> {
  const peer = (what: string, who: Candidate['who'], era: Era, subject: Subject) =>
    candidate(what, who, era, subject, { port: subject.port, token: 'none' });
  const { subject, token } = await ours();
  // One daemon for both, as both use one listener.
  const own = (what: string, era: Era) =>
    candidate(what, 'ours', era, subject, { port: subject.port, token });
  return [
    await peer('raw http', 'peer', 'sessions', await raw()),
    await peer('plain SDK server, sessions', 'plain', 'sessions', await sdk('sessions-sse')),
    await peer('the same with JSON answers', 'peer', 'sessions', await sdk('sessions-json')),
    await peer('plain SDK server, 2026-07-28', 'plain', 'modern', await sdk('modern')),
    await peer('leanest SDK server, 2026-07-28', 'peer', 'modern', await sdk('modern-lean')),
    await own('EX-AI, sessions', 'sessions'),
    await own('EX-AI, 2026-07-28', 'modern'),
  ];
}

async function candidate(
  what: string,
  who: Candidate['who'],
  era: Era,
  subject: Subject,
  target: HttpTarget,
): Promise<Candidate> {
  const load = era === 'sessions' ? await openSessionLoad(target) : openModernLoad(target);
  return { what, who, era, subject, load, cpu: { many: [], one: [] } };
}

function rowsAt(scale: keyof typeof SCALES, all: readonly Candidate[]): BenchRow[] {
  const plainOf = (wanted: Era) =>
    median(all.find(({ who, era }) => who === 'plain' && era === wanted)?.cpu[scale] ?? []);
  return all.map(({ what, who, era, cpu }): BenchRow => {
    const value = median(cpu[scale]);
    const ratio = value / plainOf(era);
    const goal = `≤ ${GOAL_RATIO} × the plain SDK server of its era`;
    return {
      what: `HTTP, ${what}, ${SCALES[scale].inFlight} in flight: CPU per call`,
      value,
      unit: 'µs',
      ratio,
      ...(who === 'ours' && { goal, ok: ratio <= GOAL_RATIO }),
    };
  });
}
