import type { GatewayModel, GatewayModels } from '#core/llm/gateway.ts';
import { findGatewayModel } from '../gateway/model-name.ts';
import { toSeconds } from './chat-response.ts';

/** Writes the response to `GET /v1/models`. */
export function writeOpenAiModels({ models }: GatewayModels): string {
  return JSON.stringify({ object: 'list', data: models.map(modelObject) });
}

/** Writes the response to `GET /v1/models/<id>`. Throws `not_found`. */
export function writeOpenAiModel(models: GatewayModels, id: string): string {
  return JSON.stringify(modelObject(findGatewayModel(models, id)));
}

function modelObject({ id, provider, createdAtMs, contextTokens, maxOutputTokens }: GatewayModel) {
  return {
    id,
    object: 'model',
    created: toSeconds(createdAtMs),
    owned_by: provider,
    context_window: contextTokens,
    max_output_tokens: maxOutputTokens,
  };
}
