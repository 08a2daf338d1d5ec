import type { Progress } from '#core/calls/call.ts';
import type { CallResult, ToolList } from '#core/calls/calls.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { parseUntrustedJson } from '#core/json/json-guard.ts';
import type { InboundMessage } from '../channel.ts';

/** Serializes a frame; undefined members are omitted. */
export function frame(op: string, members: object = {}): string {
  return JSON.stringify({ op, ...members });
}

export function errorFrame(code: string, message: string, requestId?: FrameRequestId): string {
  return frame('error', { code, request_id: requestId, message });
}

export function progressFrame(
  requestId: FrameRequestId,
  name: string,
  nowMs: number,
  { note, done, total }: Progress,
): string {
  return frame('progress', { request_id: requestId, name, t: nowMs / 1000, note, done, total });
}

export interface ResultContext {
  readonly requestId: FrameRequestId;
  /** Whether the call had started. */
  readonly stage: 'admitted' | 'refused';
  /** `compat`: the plain text is also sent outside `outputs`. */
  readonly text: 'compat' | 'outputs';
}

/** The result frame of a call. Throws if the content is not valid JSON. */
export function resultFrame(answer: CallResult, { requestId, stage, text }: ResultContext): string {
  // Answers are long, so the text is serialized once for both places.
  const quoted = JSON.stringify(answer.text);
  const error = toWireError(answer, stage);
  return [
    `{"op":"call_tool_res","request_id":${JSON.stringify(requestId)}`,
    `,"outputs":[{"type":"text","text":${quoted}}]`,
    text === 'compat' ? `,"text":${quoted}` : '',
    `,"envelope":${JSON.stringify(answer.envelope)}`,
    error ? `,"error":${JSON.stringify(error)}}` : '}',
  ].join('');
}

interface WireError {
  code: string;
  message: string;
  error_class?: ErrorClass | undefined;
  /** Seconds. */
  retry_after?: number;
  metadata?: object;
}

function toWireError(answer: CallResult, stage: ResultContext['stage']): WireError | undefined {
  const { envelope, error } = answer;
  const { status, error_class, detail } = envelope;
  if (!error) {
    const code = raisedCode(status);
    return code === undefined ? undefined : { code, message: detail ?? answer.text, error_class };
  }
  const { field, fix, provider, model, retryAfterMs } = error;
  return {
    code: exaiErrorCode(error.class, stage),
    message: detail ?? error.message,
    error_class: error.class,
    ...(retryAfterMs !== undefined && { retry_after: retryAfterMs / 1000 }),
    ...((field ?? fix ?? provider ?? model) !== undefined && {
      metadata: { field, fix, provider, model },
    }),
  };
}

/** The error codes of the EXAI protocol by class; `error_class` is sent in addition. */
const EXAI_CODES: Record<ErrorClass, string> = {
  bad_request: 'VALIDATION_ERROR',
  validation: 'VALIDATION_ERROR',
  auth: 'UNAUTHORIZED',
  permission: 'UNAUTHORIZED',
  not_found: 'TOOL_NOT_FOUND',
  conflict: 'EXEC_ERROR',
  too_large: 'EXEC_ERROR',
  context_length: 'PROVIDER_ERROR',
  rate_limit: 'PROVIDER_ERROR',
  quota: 'PROVIDER_ERROR',
  billing: 'PROVIDER_ERROR',
  budget: 'EXEC_ERROR',
  overloaded: 'PROVIDER_ERROR',
  timeout: 'TIMEOUT',
  network: 'PROVIDER_ERROR',
  provider_error: 'PROVIDER_ERROR',
  bad_response: 'PROVIDER_ERROR',
  empty_response: 'PROVIDER_ERROR',
  content_filter: 'PROVIDER_ERROR',
  cancelled: 'CANCELLED',
  interrupted: 'EXEC_ERROR',
  not_configured: 'EXEC_ERROR',
  over_capacity: 'OVER_CAPACITY',
  breaker_open: 'PROVIDER_ERROR',
  exhausted_fallback_chain: 'PROVIDER_ERROR',
  tool_error: 'EXEC_ERROR',
  internal: 'EXEC_ERROR',
};

/** The error code; `not_found` of a started call does not concern the tool. */
export function exaiErrorCode(errorClass: ErrorClass, stage: 'admitted' | 'refused'): string {
  return errorClass === 'not_found' && stage === 'admitted' ? 'NOT_FOUND' : EXAI_CODES[errorClass];
}

/** Tool statuses that clients expect as an error code. */
const RAISED = new Set(['code_too_large', 'error', 'execution_error', 'resend_prompt']);

function raisedCode(status: string): string | undefined {
  return RAISED.has(status) ? status.toUpperCase() : undefined;
}

const made = new WeakMap<ToolList, string>();

/** The `list_tools_res` frame, cached per list, since many connections share it. */
export function listFrame(list: ToolList): string {
  let text = made.get(list);
  if (text === undefined) {
    const tools = list.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    text = frame('list_tools_res', { tools });
    made.set(list, text);
  }
  return text;
}

const MAX_CHARS = 64;

/** Shortens client text for use in a message: one line, limited length. */
export function abbreviate(text: string): string {
  const start = text.slice(0, MAX_CHARS).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return text.length > MAX_CHARS ? `${start}…` : start;
}

/** The id that a client chose for a call. */
export type FrameRequestId = string | number;

/** A received frame; only `op` is validated. */
export interface Frame {
  readonly op: string;
  readonly session_id?: unknown;
  readonly token?: unknown;
  readonly client?: unknown;
  readonly request_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly args?: unknown;
  readonly old?: unknown;
  readonly new?: unknown;
}

type FrameReading =
  | { readonly is: 'frame'; readonly frame: Frame }
  | { readonly is: 'invalid_json' }
  | { readonly is: 'invalid_message'; readonly why: string };

const MAX_ID_CHARS = 256;

export function readFrame(message: InboundMessage): FrameReading {
  let value: unknown;
  try {
    value = typeof message === 'string' ? parseUntrustedJson(message) : message.value;
  } catch {
    // The parser's message quotes the text, which may contain a token.
    return { is: 'invalid_json' };
  }
  if (value === undefined) return { is: 'invalid_json' };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { is: 'invalid_message', why: 'a frame is a JSON object' };
  }
  if (!('op' in value) || typeof value.op !== 'string') {
    return { is: 'invalid_message', why: '"op" must be a text' };
  }
  return { is: 'frame', frame: value as Frame };
}

/** The request id; undefined if it is missing or cannot be returned exactly. */
export function requestIdOf({ request_id: id }: Frame): FrameRequestId | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? id : undefined;
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS ? id : undefined;
}
