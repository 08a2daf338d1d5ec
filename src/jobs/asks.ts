import type { CallAnswer } from '#core/calls.ts';
import type { JobQuestions } from '#core/jobs.ts';
import type { Json, JsonObject } from '#core/json.ts';
import type { Answers, Questions } from '#core/question.ts';

/** What a job asked, and what it was answered so far, as it is kept. */
export interface Asks {
  readonly round: number;
  readonly questions: Questions;
  /** What the call is to be given back with the answers. */
  readonly state: string;
  /** What its caller came in with then: for nobody else can the state be opened. */
  readonly closedFor?: string;
  readonly answers: Answers;
  readonly askedAt: number;
  /** How long all rounds have waited for people, which is not the job's time. */
  readonly waitedMs: number;
}

export function nextRound(
  { questions, state }: NonNullable<CallAnswer['asks']>,
  before: Asks | undefined,
  nowMs: number,
  closedFor?: string,
): Asks {
  const { round = 0, waitedMs = 0 } = before ?? {};
  return {
    round: round + 1,
    questions,
    state,
    ...(closedFor !== undefined && { closedFor }),
    answers: {},
    askedAt: nowMs,
    waitedMs,
  };
}

export function asksJson(asks: Asks): Json {
  return JSON.parse(JSON.stringify(asks)) as Json;
}

/** As it came out of the store, from this version of the program or another. */
export function readAsks(json: Json): Asks | undefined {
  if (!isRecord(json)) return undefined;
  const { round, questions, state, answers, askedAt, waitedMs } = json;
  const isSound =
    typeof round === 'number' &&
    isRecord(questions) &&
    typeof state === 'string' &&
    isRecord(answers) &&
    typeof askedAt === 'number' &&
    typeof waitedMs === 'number';
  return isSound ? (json as unknown as Asks) : undefined;
}

function isRecord(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** With those answers that it waits for; nothing when there is none among them. */
export function answered(asks: Asks, given: Answers, nowMs: number): Asks | undefined {
  const fresh = Object.keys(asks.questions).flatMap((name) => {
    const answer = Object.hasOwn(given, name) ? given[name] : undefined;
    return answer && !Object.hasOwn(asks.answers, name) ? [[name, answer] as const] : [];
  });
  if (fresh.length === 0) return undefined;
  const next = { ...asks, answers: { ...asks.answers, ...Object.fromEntries(fresh) } };
  const waitedMs = asks.waitedMs + Math.max(0, nowMs - asks.askedAt);
  return isAnswered(next) ? { ...next, waitedMs } : next;
}

export function isAnswered({ questions, answers }: Asks): boolean {
  return Object.keys(questions).every((name) => Object.hasOwn(answers, name));
}

/** Those that nobody has answered yet. */
export function pending({ round, questions, answers }: Asks): JobQuestions {
  const open = Object.entries(questions).filter(([name]) => !Object.hasOwn(answers, name));
  return { round, questions: Object.fromEntries(open) };
}
