import { isObject, isRequestId, type Members, type RequestId } from './json-rpc.ts';

export interface CallParams {
  readonly tool: string;
  readonly args: Members;
  readonly progressToken: RequestId | undefined;
  readonly traceparent: string | undefined;
}

const NO_ARGS: Members = Object.freeze({});

// The format has 55; what is far longer is none, and would travel into every span.
const MAX_TRACEPARENT_CHARS = 256;

/** What a `tools/call` asks for, or a sentence that says which of its fields is wrong. */
export function readCallParams(params: Members | undefined): CallParams | string {
  const tool = params?.['name'];
  if (typeof tool !== 'string') return 'name must be the name of a tool.';
  const args = params?.['arguments'] ?? NO_ARGS;
  if (!isObject(args) || params?.['arguments'] === null) {
    return 'arguments must be an object, or left out.';
  }
  const meta = params?.['_meta'];
  if (meta === undefined) return { tool, args, progressToken: undefined, traceparent: undefined };
  if (!isObject(meta)) return '_meta must be an object, or left out.';
  const { progressToken, traceparent } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    return '_meta.progressToken must be a text of at most 1,024 characters or a number.';
  }
  return { tool, args, progressToken, traceparent: shortText(traceparent) };
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_TRACEPARENT_CHARS ? value : undefined;
}
