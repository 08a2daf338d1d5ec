import type { Progress } from '#core/call.ts';
import type { CallAnswer } from '#core/calls.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { codeOf, raisedCode } from './error-codes.ts';
import type { RequestId } from './read-frame.ts';

/** A frame on its way out; members that are undefined are left out of it. */
export function frame(op: string, members: object = {}): string {
  return JSON.stringify({ op, ...members });
}

export function errorFrame(code: string, message: string, requestId?: RequestId): string {
  return frame('error', { code, request_id: requestId, message });
}

export function progressFrame(
  requestId: RequestId,
  name: string,
  nowMs: number,
  { note, done, total }: Progress,
): string {
  return frame('progress', { request_id: requestId, name, t: nowMs / 1000, note, done, total });
}

export interface ResultAbout {
  readonly requestId: RequestId;
  /** Whether the call had come to run. */
  readonly got: 'admitted' | 'refused';
  /** `compat`: the plain text stands beside `outputs`, too. */
  readonly text: 'compat' | 'outputs';
}

/** Throws when the content of the envelope is not JSON. */
export function resultFrame(answer: CallAnswer, { requestId, got, text }: ResultAbout): string {
  // Answers are long, so the text is quoted once for both places.
  const quoted = JSON.stringify(answer.text);
  const error = toWireError(answer, got);
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
  /** In seconds. */
  retry_after?: number;
  metadata?: object;
}

function toWireError(answer: CallAnswer, got: ResultAbout['got']): WireError | undefined {
  const { envelope, error } = answer;
  const { status, error_class, detail } = envelope;
  if (!error) {
    const code = raisedCode(status);
    return code === undefined ? undefined : { code, message: detail ?? answer.text, error_class };
  }
  const { field, fix, provider, model, retryAfterMs } = error;
  return {
    code: codeOf(error.class, got),
    message: detail ?? error.message,
    error_class: error.class,
    ...(retryAfterMs !== undefined && { retry_after: retryAfterMs / 1000 }),
    ...((field ?? fix ?? provider ?? model) !== undefined && {
      metadata: { field, fix, provider, model },
    }),
  };
}
