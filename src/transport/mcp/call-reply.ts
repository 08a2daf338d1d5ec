import type { CallError } from '#core/call-error.ts';
import type { CallAnswer, CallKind } from '#core/calls.ts';
import { errorParts } from '#core/envelope.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { toRequest } from '#mcp/input-request.ts';
import {
  errorReply,
  INVALID_PARAMS,
  RESOURCE_NOT_FOUND,
  type RequestId,
  type RpcError,
} from '#mcp/json-rpc.ts';
import { missingCapability } from '#mcp/missing-capability.ts';
import type { Era } from '#mcp/protocol-era.ts';
import { cacheableIn, resultIn } from './result-reply.ts';
import type { ServerFacts } from './server-facts.ts';

/** An answer as it goes out, and HTTP's word for it where that is not 200. */
export interface Reply {
  readonly text: string;
  readonly status?: number;
}

export interface ReplyFacts {
  readonly id: RequestId;
  readonly kind: CallKind;
  /** The name that was asked for; of a resource, its address. */
  readonly asked: string;
  readonly era: Era;
  readonly facts: ServerFacts;
  /** Told beside this answer. */
  readonly notices: readonly Notice[];
}

/** What JSON-RPC makes of an answer. */
export type ToolOutcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: RpcError };

/** A call's answer by the rules of what was asked for. */
export function callReply(answer: CallAnswer, about: ReplyFacts): Reply {
  const { error, asks } = answer;
  if (asks) return { text: inputRequired(asks, about) };
  const failure = error && rpcFailure(error, answer, about);
  if (failure) return rpcErrorReply(failure, about.id);
  if (about.kind === 'tool') {
    return {
      text: JSON.stringify({ jsonrpc: '2.0', id: about.id, result: toolResult(answer, about) }),
    };
  }
  const members = JSON.stringify(answer.envelope.content).slice(1, -1);
  const { era, id, kind, facts } = about;
  // What stands at an address may be different a moment later: it is good for now.
  if (kind === 'resource') return { text: cacheableIn(era, id, members, { ttlMs: 0, facts }) };
  return { text: resultIn(era, id, members, facts) };
}

/** What a tool's call came to, for who has to tell a result from an error. */
export function toolOutcome(answer: CallAnswer, about: ReplyFacts): ToolOutcome {
  const failure = answer.error && rpcFailure(answer.error, answer, about);
  return failure ? { error: failure } : { result: toolResult(answer, about) };
}

/** By the specification a tool that does not exist is a wrong parameter, and not a result. */
export function unknownToolReply(error: CallError, answer: CallAnswer, about: ReplyFacts): Reply {
  return rpcErrorReply(failureOf(error, answer, about, INVALID_PARAMS), about.id);
}

export function rpcErrorReply({ code, message, data, status }: RpcError, id: RequestId): Reply {
  return { text: errorReply(id, code, message, data), ...(status !== undefined && { status }) };
}

/** To what is no call: there is no result that could tell of the failure. */
export function refusalReply(error: CallError, id: RequestId): Reply {
  const code = error.class === 'not_found' ? INVALID_PARAMS : error.policy.rpcCode;
  const data = { error_class: error.class, error: errorParts(error) };
  return { text: errorReply(id, code, inWords(error), data) };
}

/** Nothing where the failure is a result. */
function rpcFailure(error: CallError, answer: CallAnswer, about: ReplyFacts): RpcError | undefined {
  if (error.lacks && about.era === 'modern') {
    const more = { error_class: error.class, req_id: answer.envelope.req_id };
    return missingCapability(error.lacks, inWords(error), more);
  }
  if (error.field === 'requestState') return failureOf(error, answer, about, INVALID_PARAMS);
  return about.kind === 'tool' ? undefined : failureOf(error, answer, about, codeOf(error, about));
}

/** A failure is a result too, so that the model can read it. */
function toolResult(
  { envelope, text, blocks = [], error }: CallAnswer,
  about: ReplyFacts,
): Record<string, unknown> {
  const { era, facts, notices } = about;
  const content: object[] = text === '' && blocks.length > 0 ? [] : [{ type: 'text', text }];
  content.push(...blocks);
  if (envelope.continuation) {
    content.push({ type: 'text', text: `continuation_id: ${envelope.continuation.id}` });
  }
  const result: Record<string, unknown> = { content, structuredContent: envelope };
  if (notices.length > 0) {
    const told = notices.map(baseRenderer.notice).join('\n');
    content.push({ type: 'text', text: told });
    const detail = envelope.detail === undefined ? told : `${envelope.detail}\n${told}`;
    const { notice_data: data = [] } = envelope;
    result['structuredContent'] = { ...envelope, detail, notice_data: [...data, ...notices] };
  }
  if (era === 'modern') {
    result['resultType'] = 'complete';
    result['_meta'] = facts.meta;
  }
  if (error) {
    result['isError'] = true;
    if (error.retryAfterMs !== undefined) {
      const retry = { 'exai/retry_after_ms': error.retryAfterMs };
      result['_meta'] = era === 'modern' ? { ...facts.meta, ...retry } : retry;
    }
  }
  return result;
}

function inputRequired(
  { questions, state }: NonNullable<CallAnswer['asks']>,
  { id, facts }: ReplyFacts,
): string {
  const entries = Object.entries(questions).map(([name, question]) => [name, toRequest(question)]);
  const result = {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(entries) as object,
    requestState: state,
    _meta: facts.meta,
  };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

function failureOf(
  error: CallError,
  { envelope }: CallAnswer,
  { kind, asked }: ReplyFacts,
  code: number,
): RpcError {
  const data = {
    error_class: error.class,
    req_id: envelope.req_id,
    ...(kind === 'resource' && { uri: asked }),
    ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    error: errorParts(error),
  };
  return { code, message: inWords(error), data };
}

function codeOf(error: CallError, { kind, era }: ReplyFacts): number {
  const isUnknown = error.class === 'not_found';
  if (isUnknown && kind === 'resource' && era !== 'modern') return RESOURCE_NOT_FOUND;
  return isUnknown || error.class === 'validation' ? INVALID_PARAMS : error.policy.rpcCode;
}

function inWords({ message, fix }: CallError): string {
  return fix === undefined ? message : `${message} ${fix}`;
}
