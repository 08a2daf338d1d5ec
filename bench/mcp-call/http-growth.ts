// Whether a call costs more when many sessions are open, and what open sessions and their streams
// weigh.
import { setTimeout as sleep } from 'node:timers/promises';
import { median, type BenchRow } from '../report.ts';
import { cpuPerCall, type HttpSubjects } from './http-calls.ts';
import { loadSessions, openSessionLoad } from './http-load.ts';
import { openSessions, openStream, type HttpTarget } from './http-session.ts';
import type { HttpSocket } from './http-socket.ts';
import type { Subject } from './subject.ts';

const ROUNDS = 7;
const MANY_SESSIONS = 1000;
const SCALE = { inFlight: 64, calls: 8000 };
const FLAT_GOAL = 1.1;
const SETTLE_MS = 5000;

export async function httpGrowthRows(subjects: HttpSubjects): Promise<BenchRow[]> {
  return [...(await flatRows(subjects)), ...(await weightRows(subjects))];
}

type Placed = HttpTarget & { readonly subject: Subject };

async function ownTarget({ ours }: HttpSubjects): Promise<Placed> {
  const { subject, token } = await ours();
  return { subject, port: subject.port, token };
}

async function peerTarget({ sdk }: HttpSubjects): Promise<Placed> {
  const subject = await sdk('sessions-sse');
  return { subject, port: subject.port, token: 'none' };
}

async function flatRows(subjects: HttpSubjects): Promise<BenchRow[]> {
  const [small, large] = [await ownTarget(subjects), await ownTarget(subjects)];
  const few = await openSessions(small, 1);
  const many = await openSessions(large, MANY_SESSIONS);
  const cases = [
    { subject: small.subject, load: loadSessions(small, few), cpu: [] as number[] },
    { subject: large.subject, load: loadSessions(large, many.slice(0, 1)), cpu: [] as number[] },
    { subject: large.subject, load: loadSessions(large, many), cpu: [] as number[] },
  ];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { subject, load, cpu } of cases) {
      const microseconds = await cpuPerCall(subject, load, SCALE);
      // The first round is there to warm up.
      if (round > 0) cpu.push(microseconds);
    }
  }
  for (const { load } of cases) load.close();
  const [one = NaN, oneOfMany = NaN, inTurn = NaN] = cases.map(({ cpu }) => median(cpu));
  const flat = (value: number) => ({
    value,
    unit: 'µs',
    ratio: value / one,
    goal: `≤ ${FLAT_GOAL} × with 1`,
    ok: value / one <= FLAT_GOAL,
  });
  return [
    { what: 'HTTP, EX-AI, 1 open session: CPU per call', value: one, unit: 'µs' },
    {
      what: `HTTP, EX-AI, ${MANY_SESSIONS} open sessions, calls in one: CPU per call`,
      ...flat(oneOfMany),
    },
    { what: `the same, calls in each of the ${MANY_SESSIONS} in its turn`, ...flat(inTurn) },
  ];
}

async function weightRows(subjects: HttpSubjects): Promise<BenchRow[]> {
  const peer = await weigh(await peerTarget(subjects));
  const own = await weigh(await ownTarget(subjects));
  const unit = 'MB';
  return [
    { who: 'plain SDK server', found: peer },
    { who: 'EX-AI', found: own },
  ].flatMap(({ who, found }): BenchRow[] => [
    {
      what: `HTTP, ${who}, ${MANY_SESSIONS} open sessions: resident memory over none`,
      value: found.sessions,
      unit,
      ratio: found.sessions / peer.sessions,
    },
    {
      what: 'the same, each with its SSE stream open',
      value: found.streams,
      unit,
      ratio: found.streams / peer.streams,
    },
  ]);
}

/** Of a server that has served a client before, so that only the sessions are new; in MB. */
async function weigh(target: Placed): Promise<{ sessions: number; streams: number }> {
  const { subject } = target;
  const first = await openSessionLoad(target);
  await first.connect(1);
  await first.run(100);
  first.close();
  const empty = await restingMb(subject);
  const sessions = await openSessions(target, MANY_SESSIONS);
  const withSessions = await restingMb(subject);
  const streams: HttpSocket[] = [];
  for (const session of sessions) streams.push(await openStream(target, session));
  const withStreams = await restingMb(subject);
  for (const stream of streams) stream.close();
  return { sessions: withSessions - empty, streams: withStreams - empty };
}

async function restingMb(subject: Subject): Promise<number> {
  await sleep(SETTLE_MS);
  return subject.residentMb();
}
