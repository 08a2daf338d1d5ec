import type { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import type { Era } from './protocol-era.ts';
import { errorReply, INVALID_PARAMS, type Members, type RequestId } from './json-rpc.ts';

interface ReplyFacts {
  readonly id: RequestId;
  readonly era: Era;
  /** `_meta` of every modern result. */
  readonly serverMeta: Members;
  /** Told beside this answer. */
  readonly notices: readonly string[];
}

/** A call's answer as a `tools/call` result. A failure is a result too, so that the model can read it. */
export function callReply({ envelope, text, error }: CallAnswer, facts: ReplyFacts): string {
  const { id, era, serverMeta, notices } = facts;
  const content = [{ type: 'text', text }];
  if (envelope.continuation) {
    content.push({ type: 'text', text: `continuation_id: ${envelope.continuation.id}` });
  }
  const result: Record<string, unknown> = { content, structuredContent: envelope };
  if (notices.length > 0) {
    const told = notices.join('\n');
    content.push({ type: 'text', text: told });
    const detail = envelope.detail === undefined ? told : `${envelope.detail}\n${told}`;
    result['structuredContent'] = { ...envelope, detail };
  }
  if (era === 'modern') {
    result['resultType'] = 'complete';
    result['_meta'] = serverMeta;
  }
  if (error) {
    result['isError'] = true;
    if (error.retryAfterMs !== undefined) {
      const retry = { 'exai/retry_after_ms': error.retryAfterMs };
      result['_meta'] = era === 'modern' ? { ...serverMeta, ...retry } : retry;
    }
  }
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** The one failure that is not a result: by the specification a tool that does not exist is a wrong parameter. */
export function unknownToolReply(id: RequestId, error: CallError, reqId: string): string {
  const message = error.fix === undefined ? error.message : `${error.message} ${error.fix}`;
  return errorReply(id, INVALID_PARAMS, message, { error_class: error.class, req_id: reqId });
}
