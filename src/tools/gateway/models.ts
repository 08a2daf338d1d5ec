import { GATEWAY_OPERATIONS, type GatewayModel, type GatewayModels } from '#core/gateway.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { Model } from '#models/model.ts';
import { defineOperation } from './define-operation.ts';

const TIMEOUT_MS = 10_000;

/** The models that a client can name now, `auto` before them. */
export function gatewayModels(desk: Pick<ModelDesk, 'models'>): Tool {
  return defineOperation({
    name: GATEWAY_OPERATIONS.models,
    title: 'Gateway: models',
    description: 'The list of models for clients of the OpenAI and Anthropic APIs, at /v1/models.',
    timeoutMs: TIMEOUT_MS,
    async run() {
      return { text: '', content: { models: listed(desk) } satisfies GatewayModels };
    },
  });
}

function listed(desk: Pick<ModelDesk, 'models'>): readonly GatewayModel[] {
  const byName = new Map<string, GatewayModel>();
  for (const { model, usable } of desk.models()) {
    // A quotation is no model that an app would name; of two with one name the first answers to it.
    if (usable === 'no' || model.provider === 'local' || byName.has(model.id)) continue;
    byName.set(model.id, toGatewayModel(model));
  }
  const models = [...byName.values()];
  const contextTokens = models.reduce((most, each) => Math.max(most, each.contextTokens ?? 0), 0);
  const auto: GatewayModel = {
    id: 'auto',
    title: 'EX-AI chooses',
    provider: 'exai',
    createdAtMs: 0,
    ...(contextTokens > 0 && { contextTokens }),
  };
  return [auto, ...models];
}

function toGatewayModel(model: Model): GatewayModel {
  const { id, title, provider, since, contextTokens, maxOutputTokens } = model;
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  return {
    id,
    title,
    provider,
    createdAtMs: Number.isFinite(sinceMs) ? sinceMs : 0,
    contextTokens,
    maxOutputTokens,
  };
}
