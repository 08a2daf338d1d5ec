import type { Caller } from '#core/calls/call.ts';
import type { CallRequest, CallResult } from '#core/calls/calls.ts';
import { failureResult } from '#core/calls/envelope.ts';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { JobOutcome, JobStore, Lease, NewJob } from '#core/stores/jobs.ts';
import type { ClientCapability, InputResponses } from '#core/tools/input-request.ts';
import type { WrapperName } from '#core/tools/tool-name.ts';
import { LEASE_MS } from './job-options.ts';

/** The stored input of a job, so that another daemon can run the call again. */
export interface JobInput {
  /** Id of the original call. */
  readonly reqId: string;
  readonly tool: string;
  /** The wrapper through which it was called. */
  readonly via?: WrapperName;
  /** Absent when too large to store; then the job cannot be rerun. */
  readonly args?: JsonObject;
  readonly caller: Caller;
  readonly askable: readonly ClientCapability[];
  readonly traceparent?: string;
  /** Input responses that the original call came with. */
  readonly answers?: InputResponses;
  readonly state?: string;
}

// The input is written with every job and read at every poll; images may be many times as long.
const MAX_ARGS_CHARS = 1_048_576;

export function toJobInput(request: CallRequest, reqId: string, tool: string): JobInput {
  const { caller, clientCapabilities: askable = [], traceparent, via } = request;
  return {
    reqId,
    tool,
    ...(via !== undefined && { via }),
    ...keepable(request),
    caller,
    askable,
    ...(traceparent !== undefined && { traceparent }),
  };
}

export function jobInputJson(input: JobInput): Json {
  return JSON.parse(JSON.stringify(input)) as Json;
}

/** Parses stored input, from this version of the program or another. */
export function parseJobInput(json: Json): JobInput | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { reqId, tool, caller, askable } = json as unknown as Partial<JobInput>;
  const isSound =
    typeof reqId === 'string' &&
    typeof tool === 'string' &&
    typeof caller?.principal === 'string' &&
    Array.isArray(caller.scopes) &&
    Array.isArray(caller.roots) &&
    Array.isArray(askable);
  return isSound ? (json as unknown as JobInput) : undefined;
}

function keepable({
  args,
  answers,
  state,
}: CallRequest): Pick<JobInput, 'args' | 'answers' | 'state'> {
  const text = JSON.stringify({ args: args ?? {}, answers, state });
  return text.length > MAX_ARGS_CHARS ? {} : (JSON.parse(text) as { args: JsonObject });
}

const MAX_CHARS = 80;
/** Only the start of a long text is scanned for a title. */
const LOOKED_AT_CHARS = 1000;
/** Arguments that describe a call best, in order. */
const ABOUT = ['prompt', 'step', 'claim', 'statement'] as const;

/** A one-line title for a job from its unvalidated arguments; empty when they have no text. */
export function jobTitle(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const given = new Map<string, unknown>(Object.entries(args));
  for (const text of [...ABOUT.map((name) => given.get(name)), ...given.values()]) {
    const title = typeof text === 'string' ? inALine(text) : '';
    if (title !== '') return title;
  }
  return '';
}

function inALine(text: string): string {
  const line = headOf(text.trimStart(), LOOKED_AT_CHARS)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= MAX_CHARS) return line;
  return `${headOf(line, MAX_CHARS - 1).trimEnd()}…`;
}

/** The start of a text, without half a surrogate pair at its end. */
function headOf(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
}

/** The stored outcome of a job. A result that is not JSON is a failure of the tool. */
export function toJobOutcome(answer: CallResult): JobOutcome {
  try {
    return outcomeOf(answer);
  } catch (thrown) {
    const { tool, req_id: reqId } = answer.envelope;
    return outcomeOf(failureResult(CallError.from(thrown), tool, reqId));
  }
}

function outcomeOf({ error, ...answer }: CallResult): JobOutcome {
  const result = JSON.parse(JSON.stringify(answer)) as Json;
  return error ? { status: 'failed', error: error.toJSON(), result } : { status: 'done', result };
}

/** Parses a stored result; undefined when there is none, or it is invalid. */
export function parseJobAnswer(result: Json, error: ErrorJson | null): CallResult | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const answer = result as unknown as CallResult;
  if (typeof answer.text !== 'string' || typeof answer.envelope !== 'object') return undefined;
  return error ? { ...answer, error: CallError.fromJSON(error) } : answer;
}

const FIRST_FENCE = 1;

/**
 * Stores a job that runs already. After a write whose outcome was unknown it may exist already, and
 * its lease is still ours.
 */
export async function persistRunningJob(
  store: JobStore,
  job: NewJob,
  owner: string,
): Promise<Lease> {
  try {
    return await store.adopt(job, owner, LEASE_MS);
  } catch (thrown) {
    if (CallError.from(thrown).class !== 'conflict') throw thrown;
    const lease = { jobId: job.id, fence: FIRST_FENCE };
    if ((await store.heartbeat(lease, LEASE_MS)) === 'kept') return lease;
    throw thrown;
  }
}
