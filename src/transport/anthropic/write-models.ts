import { CallError } from '#core/call-error.ts';
import type { GatewayModel, GatewayModels } from '#core/gateway.ts';
import { oneLine } from '#core/one-line.ts';

/** The list of models, on one page. */
export function writeModels({ models }: GatewayModels): string {
  return JSON.stringify({
    data: models.map(modelInfo),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  });
}

/** One of them. Throws `not_found`. */
export function writeModel({ models }: GatewayModels, id: string): string {
  const found = models.find((model) => model.id === id);
  if (found) return JSON.stringify(modelInfo(found));
  throw new CallError('not_found', `There is no model "${oneLine(id, 80)}" that can be asked.`, {
    field: 'model',
    fix: 'GET /v1/models lists them; auto lets EX-AI choose.',
  });
}

function modelInfo({
  id,
  title,
  createdAtMs,
  contextTokens,
  maxOutputTokens,
}: GatewayModel): object {
  return {
    type: 'model',
    id,
    display_name: title,
    created_at: new Date(createdAtMs).toISOString(),
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: null,
    max_input_tokens: contextTokens ?? null,
    max_tokens: maxOutputTokens ?? null,
    capabilities: null,
  };
}
