import { CallError } from '#core/call-error.ts';
import type { GatewayModel, GatewayModels } from '#core/gateway.ts';
import { oneLine } from '#core/one-line.ts';
import { toSeconds } from './answer-facts.ts';

/** The answer to `GET /v1/models`. */
export function writeModels({ models }: GatewayModels): string {
  return JSON.stringify({ object: 'list', data: models.map(modelFacts) });
}

/** The answer to `GET /v1/models/<id>`. Throws `not_found`. */
export function writeModel({ models }: GatewayModels, id: string): string {
  const found = models.find((model) => model.id === id);
  if (found) return JSON.stringify(modelFacts(found));
  throw new CallError('not_found', `There is no model "${oneLine(id, 80)}" that can be asked.`, {
    field: 'model',
    fix: 'GET /v1/models lists them; auto lets EX-AI choose.',
  });
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
