import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls, CompletionRequest } from '#core/calls.ts';
import { errorReply, INVALID_PARAMS, isObject, type Members } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { resultIn } from './result-reply.ts';
import type { ServerFacts } from './server-facts.ts';

/** As many as a list may have. */
const MAX_VALUES = 100;

/** The answer to `completion/complete`. Never rejects. */
export async function completionReply(
  { id, params }: RpcRequest,
  { era, calls, caller, facts }: { era: Era; calls: Calls; caller: Caller; facts: ServerFacts },
): Promise<string> {
  const asked = readCompletion(params);
  if (typeof asked === 'string') return errorReply(id, INVALID_PARAMS, `Invalid params: ${asked}`);
  try {
    const all = await calls.complete(caller, asked);
    const values = all.slice(0, MAX_VALUES);
    const completion = { values, total: all.length, hasMore: all.length > values.length };
    return resultIn(era, id, `"completion":${JSON.stringify(completion)}`, facts);
  } catch (thrown) {
    const error = CallError.from(thrown);
    const code = error.class === 'not_found' ? INVALID_PARAMS : error.policy.rpcCode;
    return errorReply(id, code, error.message, { error_class: error.class });
  }
}

function readCompletion(params: Members | undefined): CompletionRequest | string {
  const { ref, argument, context } = params ?? {};
  if (!isObject(argument)) return 'argument must be an object with a name and a value.';
  const { name, value } = argument;
  if (typeof name !== 'string') return 'argument.name must be a text.';
  if (typeof value !== 'string') return 'argument.value must be a text.';
  const args = isObject(context) ? (context['arguments'] ?? {}) : {};
  if (!isTexts(args)) return 'context.arguments must be an object of texts, or left out.';
  const { type, name: prompt, uri: template } = isObject(ref) ? ref : {};
  if (type === 'ref/prompt' && typeof prompt === 'string') {
    return { of: { prompt }, argument: name, value, args };
  }
  if (type === 'ref/resource' && typeof template === 'string') {
    return { of: { template }, argument: name, value, args };
  }
  return 'ref must be a prompt by its name, or a resource by its template.';
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}
