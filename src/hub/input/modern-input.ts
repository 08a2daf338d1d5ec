import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { InputRequests } from '#core/tools/input-request.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { protocolError } from '../connection/rpc-client.ts';
import type { OngoingContext, UpstreamOutcome } from './ongoing-calls.ts';
import type { DecideRequest } from './request-policy.ts';
import { toInputRequest, unsupportedRequest } from './server-request.ts';

/**
 * Input requests of the modern era, where the server ends its request with them and continues when
 * it is repeated: nothing waits, so this also survives a restart. The handle has what to send back.
 */
interface ModernHandle {
  readonly state?: string;
  /** Their own names, by ours. */
  readonly names: Readonly<Record<string, string>>;
  /** Answers that the client was not asked for, by the server's names. */
  readonly own: JsonObject;
  readonly rounds: number;
}

export interface RepeatOptions {
  readonly server: string;
  readonly decide: DecideRequest;
  readonly send: (more: JsonObject) => Promise<JsonObject>;
}

const PREFIX = 'asked.';
const MAX_ROUNDS = 64;
const MAX_REQUESTS = 16;
const MAX_STATE_CHARS = 65_536;

export function isModernHandle(handle: string): boolean {
  return handle.startsWith(PREFIX);
}

/** Sends a request, with the answers to what the server asked for it before. */
export async function requestInRounds(
  options: RepeatOptions,
  context: OngoingContext,
): Promise<UpstreamOutcome> {
  const { inputHandle = '' } = context;
  const before = isModernHandle(inputHandle) ? parseHandle(inputHandle) : undefined;
  let more: JsonObject = before ? continuation(before, context) : {};
  for (let rounds = before?.rounds ?? 0; ; rounds++) {
    const result = await options.send(more);
    if (result['resultType'] !== 'input_required') return { is: 'result', result };
    if (rounds >= MAX_ROUNDS) throw asksTooOften(options.server);
    const next = await askedBy(result, rounds, options, context);
    const { handle, questions } = next;
    if (Object.keys(questions).length > 0) {
      const text = PREFIX + JSON.stringify({ ...handle, rounds: rounds + 1 });
      return { is: 'input', required: { inputRequests: questions, handle: text } };
    }
    // Everything was answered here.
    more = continuation({ ...handle, rounds }, context);
  }
}

function continuation(handle: ModernHandle, { answers }: OngoingContext): JsonObject {
  const { state, names, own } = handle;
  const given = Object.entries(names).flatMap(([ours, theirs]) => {
    const answer = Object.hasOwn(answers, ours) ? answers[ours] : undefined;
    return answer ? [[theirs, answer] as const] : [];
  });
  return {
    inputResponses: { ...own, ...Object.fromEntries(given) },
    ...(state !== undefined && { requestState: state }),
  };
}

async function askedBy(
  result: JsonObject,
  rounds: number,
  { server, decide }: RepeatOptions,
  context: OngoingContext,
): Promise<{ handle: Omit<ModernHandle, 'rounds'>; questions: InputRequests }> {
  const { inputRequests = {}, requestState } = result;
  const entries = isObject(inputRequests) ? Object.entries(inputRequests) : undefined;
  const isState = requestState === undefined || typeof requestState === 'string';
  if (!entries || entries.length > MAX_REQUESTS || !isState) {
    throw protocolError(server, 'asks for input in a form that MCP does not have');
  }
  if ((requestState?.length ?? 0) > MAX_STATE_CHARS) {
    throw protocolError(
      server,
      `asks for input with a state of more than ${MAX_STATE_CHARS} characters`,
    );
  }
  const names: Record<string, string> = {};
  const questions: Record<string, InputRequests[string]> = {};
  const own: [string, JsonObject][] = [];
  for (const [index, [name, given]] of entries.entries()) {
    const { method, params }: { method?: unknown; params?: unknown } = isObject(given) ? given : {};
    const request = {
      method: typeof method === 'string' ? method : '',
      params: isObject(params) ? (params as JsonObject) : {},
    };
    const input = toInputRequest(server, request);
    const decision = input ? decide(input, context, new LightAbortController()) : 'refuse';
    if (!input || decision === 'refuse') throw unsupportedRequest(server, request);
    if (typeof decision === 'object') own.push([name, await decision]);
    else {
      // Not the name of an earlier round, whose answer the client would not have to give again.
      const ours = `server-${rounds + 1}-${index + 1}`;
      names[ours] = name;
      questions[ours] = input;
    }
  }
  const state = typeof requestState === 'string' ? { state: requestState } : {};
  return { handle: { ...state, names, own: Object.fromEntries(own) }, questions };
}

/** It comes out of our own seal. */
function parseHandle(handle: string): ModernHandle {
  try {
    return JSON.parse(handle.slice(PREFIX.length)) as ModernHandle;
  } catch (thrown) {
    throw CallError.from(thrown);
  }
}

function asksTooOften(server: string): CallError {
  const because = reason('server_asks_too_often', { server, max: MAX_ROUNDS });
  return codedError('tool_error', because);
}
