import {
  GATEWAY_OPERATIONS,
  type GatewayModel,
  type GatewayModels,
  type GatewayModelsAsked,
} from '#core/gateway.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { Model } from '#models/model.ts';
import { defineOperation } from './define-operation.ts';
import type { ModelMeanings } from './model-meanings.ts';

const TIMEOUT_MS = 10_000;

type Desk = Pick<ModelDesk, 'models' | 'resolve'>;

/** The models that a client can name now: `auto`, those that there are, and names that the settings give a meaning. */
export function gatewayModels(desk: Desk, meanings: ModelMeanings): Tool {
  return defineOperation<GatewayModelsAsked>({
    name: GATEWAY_OPERATIONS.models,
    title: 'Gateway: models',
    description: 'The list of models for clients of the OpenAI and Anthropic APIs, at /v1/models.',
    timeoutMs: TIMEOUT_MS,
    async run({ id }) {
      const names = id === undefined ? meanings.names : [...meanings.names, id];
      const models = withNames(names, listed(desk), desk, meanings);
      return { text: '', content: { models } satisfies GatewayModels };
    },
  });
}

/** A name that means a model is listed as that one, by its own name; one that means nobody is not. */
function withNames(
  names: readonly string[],
  models: readonly GatewayModel[],
  desk: Desk,
  meanings: ModelMeanings,
): readonly GatewayModel[] {
  const all = new Map(models.map((model) => [model.id, model]));
  const isKnown = (name: string) => desk.resolve(name).is === 'found';
  for (const id of names) {
    const meaning = meanings.meaningOf(id, isKnown);
    if (all.has(id) || meaning === id) continue;
    const resolved = meaning === 'auto' ? undefined : desk.resolve(meaning);
    const own = all.get(resolved?.is === 'found' ? resolved.model.id : meaning);
    if (own) all.set(id, { ...own, id });
  }
  return [...all.values()];
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
