import { CallError } from '#core/errors/call-error.ts';
import {
  GATEWAY_OPERATIONS,
  type GatewayResponseRequest,
  type GatewayStoredResponse,
} from '#core/llm/gateway.ts';
import type { ResponseStore } from '#core/stores/responses.ts';
import { oneLine } from '#core/text/text.ts';
import type { Tool } from '#core/tools/tool.ts';
import { defineOperation } from './define-operation.ts';

const TIMEOUT_MS = 10_000;

/** Operations that read and delete the caller's stored responses. */
export function gatewayResponses(
  responses: Pick<ResponseStore, 'get' | 'delete'>,
): readonly Tool[] {
  const read = defineOperation<GatewayResponseRequest>({
    name: GATEWAY_OPERATIONS.readResponse,
    title: 'Gateway: read a stored response',
    description: 'Reads stored responses for clients of the OpenAI API, at /v1/responses.',
    timeoutMs: TIMEOUT_MS,
    async run({ id }, { caller: { principal } }) {
      const stored = await responses.get(id, principal);
      if (!stored) throw unknownResponse(id);
      return { text: '', content: { stored } satisfies GatewayStoredResponse };
    },
  });
  const remove = defineOperation<GatewayResponseRequest>({
    name: GATEWAY_OPERATIONS.deleteResponse,
    title: 'Gateway: delete a stored response',
    description: 'Deletes stored responses for clients of the OpenAI API, at /v1/responses.',
    effect: 'deletes',
    timeoutMs: TIMEOUT_MS,
    async run({ id }, { caller: { principal } }) {
      if (!(await responses.delete(id, principal))) throw unknownResponse(id);
      return { text: '', content: null };
    },
  });
  return [read, remove];
}

/** The same whether it was deleted, never existed or belongs to another client. */
function unknownResponse(id: string): CallError {
  return new CallError('not_found', `Response with id "${oneLine(id, 80)}" not found.`, {
    field: 'response_id',
    fix: 'Responses are kept for retention.responsesDays, unless store is false.',
  });
}
