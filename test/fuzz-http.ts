import { connect } from 'node:net';
import { createAnswerReader, type AnswerHead } from './fuzz-http/answer-reader.ts';
import { anyShot, brokenShot, type FuzzContext, type Shot } from './fuzz-http/any-request.ts';
import { faultOf, type Answer } from './fuzz-http/judge.ts';
import { createMcpHttp } from './fuzz-http/mcp-http.ts';
import { createRandom, type SeededRandom } from './sim/random.ts';

export interface FuzzTarget {
  readonly url: string;
  readonly token: string;
  readonly otherToken: string;
}

export interface FuzzRun {
  readonly connections: number;
  readonly seed: number;
  /** The number of the first connection; one number and the seed make the same bytes again. */
  readonly from?: number;
}

export interface FuzzOutcome {
  readonly requests: number;
  readonly answers: number;
  /** By status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** What went wrong, with the number of the connection and the bytes that were sent. */
  readonly faults: readonly string[];
}

/** What one connection is used for. */
interface Script {
  readonly shots: readonly Shot[];
  readonly pace: 'at_once' | 'in_pieces' | 'byte_by_byte';
  readonly ending: 'wait' | 'half_close' | 'reset_in_request' | 'reset_in_answer';
}

interface Talk {
  readonly answers: readonly Answer[];
  /** What came was no HTTP. */
  readonly strange: string | undefined;
  /** How it came to an end. */
  readonly end: 'done' | 'closed' | 'hung' | 'left';
  readonly tookMs: number;
}

const AT_ONCE = 32;
const SESSIONS = 6;
const PACES = ['at_once', 'at_once', 'at_once', 'in_pieces', 'byte_by_byte'] as const;
const ENDINGS = ['wait', 'wait', 'half_close', 'reset_in_request', 'reset_in_answer'] as const;
const HUNG_MS = 60_000;
const MAX_FAULTS = 20;
const MAX_BYTEWISE = 3000;
/** After this long a stream that may stay open is taken to do so. */
const STAYS_MS = 50;

/** Opens so many connections and sends whatever the seed says; each is judged by what came back. */
export async function fuzzHttp(target: FuzzTarget, run: FuzzRun): Promise<FuzzOutcome> {
  const { host } = new URL(target.url);
  /**
   * Gone when ended by this script, by another one or by its time; the next one has a new session.
   */
  const sessions = new Map<number, string>();
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let requests = 0;
  let answers = 0;
  let slowestMs = 0;
  const { from = 0 } = run;
  const http = createMcpHttp(target);
  let next = from;

  async function one(index: number): Promise<void> {
    const random = createRandom(run.seed).fork(`connection ${index}`);
    const slot = random.between(0, SESSIONS - 1);
    const session = sessions.get(slot) ?? (await http.openSession());
    sessions.set(slot, session);
    const script = anyScript(random, { ...target, host, session });
    const talk = await talkOf(script, target, random);
    requests += script.shots.length;
    answers += talk.answers.length;
    slowestMs = Math.max(slowestMs, talk.tookMs);
    for (const { head } of talk.answers) {
      statuses[head.status] = (statuses[head.status] ?? 0) + 1;
      if (head.status === 404 || head.status === 204) sessions.delete(slot);
    }
    const fault = faultOfTalk(script, talk);
    if (fault === undefined || faults.length >= MAX_FAULTS) return;
    faults.push(`connection ${index} of seed ${run.seed}: ${fault}\n${shown(script)}`);
  }

  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < from + run.connections) await one(next++);
  });
  await Promise.all(workers);
  http.close();
  return { requests, answers, statuses, slowestMs, faults };
}

/**
 * Sends these bytes as one request on a connection of its own, and tells what is wrong with how
 * they were taken.
 */
export async function tryBytes(
  target: FuzzTarget,
  bytes: Buffer,
  about: Pick<Shot, 'is'> & Pick<Script, 'ending'> & { readonly answers: number },
): Promise<{ readonly statuses: readonly number[]; readonly fault: string | undefined }> {
  const shot = { bytes, method: 'POST', id: undefined, mayStay: false, isLast: true };
  // The bytes may hold more than one request: then there are as many answers.
  const rest = Array.from({ length: about.answers - 1 }, () => ({
    ...shot,
    bytes: Buffer.alloc(0),
  }));
  const shots = [shot, ...rest].map((each) => ({ ...each, is: about.is }));
  const script: Script = { shots, pace: 'at_once', ending: about.ending };
  const talk = await talkOf(script, target, createRandom(1));
  const statuses = talk.answers.map(({ head }) => head.status);
  return { statuses, fault: faultOfTalk(script, talk, 'always') };
}

function anyScript(random: SeededRandom, harness: FuzzContext): Script {
  const isBroken = random.chance(0.25);
  const shots = anyShots(random, harness, isBroken ? 0 : random.pick([1, 1, 1, 1, 2, 3, 8]));
  if (isBroken) shots.push(brokenShot(random, harness));
  const bytes = shots.reduce((sum, shot) => sum + shot.bytes.length, 0);
  const pace = random.pick(PACES);
  const ending = random.pick(ENDINGS);
  return {
    shots,
    pace: pace === 'byte_by_byte' && bytes > MAX_BYTEWISE ? 'in_pieces' : pace,
    // What is no whole request may be waited for; the end of it is what tells.
    ending: isBroken && ending !== 'reset_in_request' ? 'half_close' : ending,
  };
}

function anyShots(random: SeededRandom, harness: FuzzContext, count: number): Shot[] {
  const shots: Shot[] = [];
  while (shots.length < count) {
    const shot = anyShot(random, harness);
    shots.push(shot);
    if (shot.isLast || shot.mayStay) break;
  }
  return shots;
}

function talkOf(script: Script, { url }: FuzzTarget, random: SeededRandom): Promise<Talk> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  const { shots, ending } = script;
  return new Promise((resolve) => {
    const answers: { head: AnswerHead; body: string; isWhole: boolean }[] = [];
    let strange: string | undefined;
    let isSent = false;
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const over = (end: Talk['end']) => {
      clearTimeout(hung);
      clearTimeout(stays);
      const tookMs = performance.now() - startedAt;
      socket.removeAllListeners().on('error', () => undefined);
      // At random the polite way or not.
      if (random.chance(0.5)) socket.destroy();
      else socket.resetAndDestroy();
      resolve({ answers, strange, end, tookMs });
    };
    const hung = setTimeout(() => over('hung'), HUNG_MS);
    let stays: NodeJS.Timeout | undefined;
    const look = () => {
      const last = answers.at(-1);
      if (!last || !isSent || answers.length < shots.length || ending === 'half_close') return;
      if (last.isWhole) return over('done');
      const isStream = last.head.headers.get('content-type') === 'text/event-stream';
      if (isStream && shots.at(-1)?.mayStay) stays ??= setTimeout(() => over('left'), STAYS_MS);
    };
    const reader = createAnswerReader((nth) => shots[nth - 1]?.method, {
      head: (head) => void answers.push({ head, body: '', isWhole: false }),
      body(piece) {
        const last = answers.at(-1);
        if (last) last.body += piece.toString();
      },
      end() {
        const last = answers.at(-1);
        if (last) last.isWhole = true;
      },
      strange: (why) => void (strange = why),
    });
    socket.on('data', (piece: Buffer) => {
      if (ending === 'reset_in_answer') return over('left');
      reader.read(piece);
      look();
    });
    socket.on('end', () => {
      reader.close();
      over('closed');
    });
    socket.on('error', () => over('closed'));
    socket.on('close', () => over('closed'));
    socket.on('connect', () => {
      void send(socket, script, random).then((outcome) => {
        if (outcome === 'left') return over('left');
        isSent = true;
        look();
      });
    });
  });
}

type Sink = Pick<ReturnType<typeof connect>, 'write' | 'end' | 'setNoDelay' | 'writable'>;

async function send(socket: Sink, script: Script, random: SeededRandom): Promise<'sent' | 'left'> {
  const whole = Buffer.concat(script.shots.map(({ bytes }) => bytes));
  const isReset = script.ending === 'reset_in_request';
  const bytes = isReset ? whole.subarray(0, random.between(0, whole.length - 1)) : whole;
  socket.setNoDelay(true);
  for (let at = 0; at < bytes.length && socket.writable;) {
    const size = sizeOf(script.pace, random, bytes.length - at);
    const isLast = at + size >= bytes.length;
    if (isLast && script.ending === 'half_close') socket.end(bytes.subarray(at));
    else socket.write(bytes.subarray(at, at + size));
    at += size;
    // So that the pieces arrive as pieces.
    if (!isLast) await new Promise((resolve) => setImmediate(resolve));
  }
  return isReset ? 'left' : 'sent';
}

function sizeOf(pace: Script['pace'], random: SeededRandom, left: number): number {
  if (pace === 'at_once') return left;
  return pace === 'byte_by_byte' ? 1 : random.between(1, Math.max(100, left / 2));
}

/**
 * What is wrong with how the daemon took it; nothing when every request got its one answer. Who
 * ends its side of the connection after a whole request may be taken to have left: in the modern
 * era that is how a call is cancelled.
 */
function faultOfTalk(
  { shots, ending }: Script,
  talk: Talk,
  owed: 'unless_half_closed' | 'always' = 'unless_half_closed',
): string | undefined {
  if (talk.strange !== undefined) return `the answer is no HTTP: ${talk.strange}`;
  if (talk.end === 'hung') return `no end after ${HUNG_MS} ms and ${talk.answers.length} answers`;
  const isBroken = shots.at(-1)?.is === 'broken';
  const isExcused = owed !== 'always' && !isBroken && ending === 'half_close';
  for (const [index, answer] of talk.answers.entries()) {
    const shot = shots[index] ?? { method: 'POST', id: undefined };
    // What was left in the middle is not judged by what is missing.
    if (!answer.isWhole && (talk.end === 'left' || isExcused)) continue;
    const fault = faultOf(answer, shot);
    if (fault !== undefined) {
      return `answer ${index + 1}, ${answer.head.status}: ${fault}\n${answer.body.slice(0, 300)}`;
    }
  }
  if (ending.startsWith('reset')) return undefined;
  if (talk.answers.length < shots.length && !isExcused) {
    return `${talk.answers.length} answers to ${shots.length} requests, and the connection was closed`;
  }
  if (!isBroken && talk.answers.length > shots.length) return 'more answers than requests';
  return undefined;
}

function shown({ shots, pace, ending }: Script): string {
  const texts = shots.map(({ bytes }) => JSON.stringify(bytes.toString('latin1').slice(0, 1500)));
  return `  sent ${pace}, then ${ending}:\n  ${texts.join('\n  ')}`;
}
