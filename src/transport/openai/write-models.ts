import type { GatewayModel, GatewayModels } from '#core/gateway.ts';
import { findModel } from '../gateway/find-model.ts';
import { toSeconds } from './to-seconds.ts';

/** The answer to `GET /v1/models`. */
export function writeModels({ models }: GatewayModels): string {
  return JSON.stringify({ object: 'list', data: models.map(modelFacts) });
}

/** The answer to `GET /v1/models/<id>`. Throws `not_found`. */
export function writeModel(models: GatewayModels, id: string): string {
  return JSON.stringify(modelFacts(findModel(models, id)));
}

function modelFacts({ id, provider, createdAtMs, contextTokens, maxOutputTokens }: GatewayModel) {
  return {
    id,
    object: 'model',
    created: toSeconds(createdAtMs),
    owned_by: provider,
    context_window: contextTokens,
    max_output_tokens: maxOutputTokens,
  };
}
