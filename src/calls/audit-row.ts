import type { CallAnswer, CallRequest } from '#core/calls.ts';
import type { RequestMetadata } from '#core/request-metadata.schema.ts';
import type { CallRecord } from '#core/stores/calls.ts';
import type { Draft as Writable } from '#core/draft.ts';
import type { Draft } from './prepare.ts';

/** Who did what, when and how it ended; never what was said. */
export function toAuditRow(
  request: CallRequest,
  draft: Draft,
  { envelope, error }: CallAnswer,
  about: {
    readonly at: number;
    readonly elapsedMs: number;
    readonly metadata: RequestMetadata;
    readonly sharedWith: string | undefined;
  },
): CallRecord {
  const { clientMetadata } = draft;
  const row: Writable<CallRecord> = {
    reqId: envelope.req_id,
    at: about.at,
    principal: request.caller.principal,
    agent: request.caller.agent ?? null,
    door: request.door,
    tool: draft.toolName,
    status: envelope.status,
    errorClass: error?.class ?? null,
    argsSha256: draft.argsSha256,
    elapsedMs: Math.round(about.elapsedMs * 1000) / 1000,
    metadata: about.metadata,
  };
  if (clientMetadata) row.clientMetadata = clientMetadata;
  if (about.sharedWith !== undefined) row.sharedWith = about.sharedWith;
  return row;
}
