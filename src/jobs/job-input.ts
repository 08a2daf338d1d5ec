import type { Caller } from '#core/call.ts';
import type { CallRequest } from '#core/calls.ts';
import type { Json, JsonObject } from '#core/json.ts';
import type { Answers, ClientAbility } from '#core/question.ts';

/** What is kept of a call, so that another daemon can make it again. */
export interface JobInput {
  /** Of the call that it was. */
  readonly reqId: string;
  readonly tool: string;
  /** Absent where they are too large to keep: then it cannot be run again. */
  readonly args?: JsonObject;
  readonly caller: Caller;
  readonly askable: readonly ClientAbility[];
  readonly traceparent?: string;
  /** What the call brought along to what it had asked before it became a job. */
  readonly answers?: Answers;
  readonly state?: string;
}

// Pictures may be many times as long; what is kept is written with every job and read at every look.
const MAX_ARGS_CHARS = 1_048_576;

export function toInput(request: CallRequest, reqId: string, tool: string): JobInput {
  const { caller, askable = [], traceparent } = request;
  return {
    reqId,
    tool,
    ...keepable(request),
    caller,
    askable,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** As it goes into the store. */
export function inputJson(input: JobInput): Json {
  return JSON.parse(JSON.stringify(input)) as Json;
}

/** As it came out of it, from this version of the program or another. */
export function readInput(json: Json): JobInput | undefined {
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
