import type { CallResult } from '#core/calls/calls.ts';
import type { JobInputRequests } from '#core/calls/jobs.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { InputResponses, InputRequests } from '#core/tools/input-request.ts';

/** The stored input requests of a job and the responses so far. */
export interface PendingInput {
  readonly round: number;
  readonly questions: InputRequests;
  /** Opaque state that the call gets back with the responses. */
  readonly state: string;
  /** The credential of the caller at that time; the state can only be opened for it. */
  readonly closedFor?: string;
  readonly answers: InputResponses;
  readonly askedAt: number;
  /** Total time that all rounds waited for people; not counted as the job's time. */
  readonly waitedMs: number;
}

export function nextRound(
  { questions, state }: NonNullable<CallResult['inputRequired']>,
  before: PendingInput | undefined,
  nowMs: number,
  closedFor?: string,
): PendingInput {
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

export function pendingInputJson(asks: PendingInput): Json {
  return JSON.parse(JSON.stringify(asks)) as Json;
}

/** Parses the stored form, from this version of the program or another. */
export function parsePendingInput(json: Json): PendingInput | undefined {
  if (!isRecord(json)) return undefined;
  const { round, questions, state, answers, askedAt, waitedMs } = json;
  const isSound =
    typeof round === 'number' &&
    isRecord(questions) &&
    typeof state === 'string' &&
    isRecord(answers) &&
    typeof askedAt === 'number' &&
    typeof waitedMs === 'number';
  return isSound ? (json as unknown as PendingInput) : undefined;
}

function isRecord(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Adds the responses that it waits for; undefined when there is none among them. */
export function withAnswers(
  asks: PendingInput,
  given: InputResponses,
  nowMs: number,
): PendingInput | undefined {
  const fresh = Object.keys(asks.questions).flatMap((name) => {
    const answer = Object.hasOwn(given, name) ? given[name] : undefined;
    return answer && !Object.hasOwn(asks.answers, name) ? [[name, answer] as const] : [];
  });
  if (fresh.length === 0) return undefined;
  const next = { ...asks, answers: { ...asks.answers, ...Object.fromEntries(fresh) } };
  const waitedMs = asks.waitedMs + Math.max(0, nowMs - asks.askedAt);
  return isAnswered(next) ? { ...next, waitedMs } : next;
}

export function isAnswered({ questions, answers }: PendingInput): boolean {
  return Object.keys(questions).every((name) => Object.hasOwn(answers, name));
}

/** The requests without a response yet. */
export function unansweredRequests({ round, questions, answers }: PendingInput): JobInputRequests {
  const open = Object.entries(questions).filter(([name]) => !Object.hasOwn(answers, name));
  return { round, questions: Object.fromEntries(open) };
}
