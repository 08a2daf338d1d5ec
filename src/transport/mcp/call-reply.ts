import type { CallError } from '#core/errors/call-error.ts';
import type { CallResult, CallKind } from '#core/calls/calls.ts';
import { errorParts } from '#core/calls/envelope.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { toMcpRequest } from '#mcp/input-request.ts';
import {
  rpcErrorResponse,
  INVALID_PARAMS,
  RESOURCE_NOT_FOUND,
  type RequestId,
  type RpcError,
} from '#mcp/json-rpc.ts';
import { missingCapabilityError } from '#mcp/client-capabilities.ts';
import { ENVELOPE_KEY, RETRY_AFTER_KEY } from '#mcp/meta-keys.ts';
import type { Era } from '#mcp/protocol-era.ts';
import { cacheableResult, eraResult } from './replies.ts';
import type { ServerInfo } from './server-info.ts';

/** A JSON-RPC response as text, and its HTTP status if that is not 200. */
export interface Reply {
  readonly text: string;
  readonly status?: number;
}

export interface ReplyContext {
  readonly id: RequestId;
  readonly kind: CallKind;
  /** Name of the tool or prompt; URI of a resource. */
  readonly target: string;
  readonly era: Era;
  readonly serverInfo: ServerInfo;
  /** Added to this answer. */
  readonly notices: readonly Notice[];
  /** Where the envelope of a tool is: always in `_meta`, and in `structuredContent` if so. */
  readonly structuredContent: 'send' | 'omit';
}

/** The outcome of a tool call in JSON-RPC terms. */
export type ToolOutcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: RpcError };

/** The response to a call, by the rules of its kind. */
export function callReply(answer: CallResult, context: ReplyContext): Reply {
  const { error, inputRequired } = answer;
  if (inputRequired) return { text: inputRequiredReply(inputRequired, context) };
  const failure = error && rpcFailure(error, answer, context);
  if (failure) return rpcErrorReply(failure, context.id);
  if (context.kind === 'tool') {
    return {
      text: JSON.stringify({ jsonrpc: '2.0', id: context.id, result: toolResult(answer, context) }),
    };
  }
  const members = JSON.stringify(answer.envelope.content).slice(1, -1);
  const { era, id, kind, serverInfo } = context;
  // A resource may change at any moment, so it is not cacheable.
  if (kind === 'resource')
    return { text: cacheableResult(era, id, members, { ttlMs: 0, serverInfo }) };
  return { text: eraResult(era, id, members, serverInfo) };
}

/** The outcome of a tool call, for callers that distinguish result and error. */
export function toolOutcome(answer: CallResult, context: ReplyContext): ToolOutcome {
  const failure = answer.error && rpcFailure(answer.error, answer, context);
  return failure ? { error: failure } : { result: toolResult(answer, context) };
}

/** The response for an unknown tool: by the specification an invalid parameter, not a result. */
export function unknownToolReply(
  error: CallError,
  answer: CallResult,
  context: ReplyContext,
): Reply {
  return rpcErrorReply(failureOf(error, answer, context, INVALID_PARAMS), context.id);
}

export function rpcErrorReply({ code, message, data, status }: RpcError, id: RequestId): Reply {
  return {
    text: rpcErrorResponse(id, code, message, data),
    ...(status !== undefined && { status }),
  };
}

/** The error response to a request that is not a call, so that no result can report the failure. */
export function refusalReply(error: CallError, id: RequestId): Reply {
  const code = error.class === 'not_found' ? INVALID_PARAMS : error.policy.rpcCode;
  const data = { error_class: error.class, error: errorParts(error) };
  return { text: rpcErrorResponse(id, code, messageOf(error), data) };
}

/** The JSON-RPC error of a failed call; undefined if the failure is reported as a result. */
function rpcFailure(
  error: CallError,
  answer: CallResult,
  context: ReplyContext,
): RpcError | undefined {
  if (error.lacks && context.era === 'modern') {
    const more = { error_class: error.class, req_id: answer.envelope.req_id };
    return missingCapabilityError(error.lacks, messageOf(error), more);
  }
  if (error.field === 'requestState') return failureOf(error, answer, context, INVALID_PARAMS);
  return context.kind === 'tool'
    ? undefined
    : failureOf(error, answer, context, codeOf(error, context));
}

/**
 * The result of a tool call; a failure is a result too, so that the model can read it. The envelope
 * is in `_meta`, as some clients give `structuredContent` to their model instead of the text.
 */
function toolResult(answer: CallResult, context: ReplyContext): Record<string, unknown> {
  const { error, foreign } = answer;
  const { era, serverInfo, notices } = context;
  let { envelope } = answer;
  const content = contentOf(answer);
  if (envelope.continuation) {
    content.push({ type: 'text', text: `continuation_id: ${envelope.continuation.id}` });
  }
  if (notices.length > 0) {
    const noticeText = notices.map(baseRenderer.notice).join('\n');
    content.push({ type: 'text', text: noticeText });
    const detail = envelope.detail === undefined ? noticeText : `${envelope.detail}\n${noticeText}`;
    const { notice_data: data = [] } = envelope;
    envelope = { ...envelope, detail, notice_data: [...data, ...notices] };
  }
  return {
    content,
    ...(context.structuredContent === 'send' && structuredContentOf(answer, envelope)),
    ...(era === 'modern' && { resultType: 'complete' }),
    ...(error && { isError: true }),
    _meta: {
      ...foreign?.meta,
      ...(era === 'modern' && serverInfo.meta),
      ...(error?.retryAfterMs !== undefined && { [RETRY_AFTER_KEY]: error.retryAfterMs }),
      [ENVELOPE_KEY]: envelope,
    },
  };
}

function contentOf({ text, blocks = [], foreign }: CallResult): object[] {
  if (foreign) {
    const { content, structuredContent } = foreign;
    const hasText = content.some(({ type }) => type === 'text');
    // Clients that do not read data get it as a text.
    return hasText || structuredContent === undefined
      ? [...content]
      : [{ type: 'text', text }, ...content];
  }
  const content: object[] = text === '' && blocks.length > 0 ? [] : [{ type: 'text', text }];
  content.push(...blocks);
  return content;
}

/** Of an upstream's tool its own data, which its output schema describes. */
function structuredContentOf(
  { foreign }: CallResult,
  envelope: CallResult['envelope'],
): { readonly structuredContent?: object } {
  if (!foreign) return { structuredContent: envelope };
  const { structuredContent } = foreign;
  return structuredContent === undefined ? {} : { structuredContent };
}

function inputRequiredReply(
  { questions, state }: NonNullable<CallResult['inputRequired']>,
  { id, serverInfo }: ReplyContext,
): string {
  const entries = Object.entries(questions).map(([name, question]) => [
    name,
    toMcpRequest(question),
  ]);
  const result = {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(entries) as object,
    requestState: state,
    _meta: serverInfo.meta,
  };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

function failureOf(
  error: CallError,
  { envelope }: CallResult,
  { kind, target }: ReplyContext,
  code: number,
): RpcError {
  const data = {
    error_class: error.class,
    req_id: envelope.req_id,
    ...(kind === 'resource' && { uri: target }),
    ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    error: errorParts(error),
  };
  return { code, message: messageOf(error), data };
}

function codeOf(error: CallError, { kind, era }: ReplyContext): number {
  const isUnknown = error.class === 'not_found';
  if (isUnknown && kind === 'resource' && era !== 'modern') return RESOURCE_NOT_FOUND;
  return isUnknown || error.class === 'validation' ? INVALID_PARAMS : error.policy.rpcCode;
}

function messageOf({ message, fix }: CallError): string {
  return fix === undefined ? message : `${message} ${fix}`;
}
