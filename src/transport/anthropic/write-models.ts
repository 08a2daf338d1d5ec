import type { GatewayModel, GatewayModels } from '#core/gateway.ts';
import { findModel } from '../gateway/find-model.ts';

/** The answer to `GET /v1/models`, on one page. */
export function writeModels({ models }: GatewayModels): string {
  return JSON.stringify({
    data: models.map(modelFacts),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  });
}

/** The answer to `GET /v1/models/<id>`. Throws `not_found`. */
export function writeModel(models: GatewayModels, id: string): string {
  return JSON.stringify(modelFacts(findModel(models, id)));
}

function modelFacts({
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
