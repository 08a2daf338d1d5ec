import type { GatewayModel, GatewayModels } from '#core/llm/gateway.ts';
import { findGatewayModel } from '../gateway/model-name.ts';

/** Writes the response to `GET /v1/models`, as one page. */
export function writeAnthropicModels({ models }: GatewayModels): string {
  return JSON.stringify({
    data: models.map(modelObject),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  });
}

/** Writes the response to `GET /v1/models/<id>`. Throws `not_found`. */
export function writeAnthropicModel(models: GatewayModels, id: string): string {
  return JSON.stringify(modelObject(findGatewayModel(models, id)));
}

function modelObject({
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
