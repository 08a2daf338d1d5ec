import {
  GATEWAY_OPERATIONS,
  type GatewayModel,
  type GatewayModels,
  type GatewayModelsRequest,
} from '#core/llm/gateway.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { Model } from '#models/model.ts';
import { defineOperation } from './define-operation.ts';
import { resolveRoleName, type ModelAliases } from './model-aliases.ts';

const TIMEOUT_MS = 10_000;

type Directory = Pick<ModelDirectory, 'models' | 'resolve'>;

/** Lists the models that a client can name: `auto`, the usable ones, and configured aliases. */
export function gatewayModels(modelDirectory: Directory, aliases: ModelAliases): Tool {
  return defineOperation<GatewayModelsRequest>({
    name: GATEWAY_OPERATIONS.models,
    title: 'Gateway: models',
    description: 'The list of models for clients of the OpenAI and Anthropic APIs, at /v1/models.',
    timeoutMs: TIMEOUT_MS,
    async run({ id }) {
      const names = id === undefined ? aliases.names : [...aliases.names, id];
      const models = withNames(names, listed(modelDirectory), modelDirectory, aliases);
      return { text: '', content: { models } satisfies GatewayModels };
    },
  });
}

/** Adds the names that resolve to a listed model, each as an entry with its own name. */
function withNames(
  names: readonly string[],
  models: readonly GatewayModel[],
  modelDirectory: Directory,
  aliases: ModelAliases,
): readonly GatewayModel[] {
  const all = new Map(models.map((model) => [model.id, model]));
  const isKnown = (name: string) => modelDirectory.resolve(name).is === 'found';
  for (const id of names) {
    const meant = aliases.resolve(id, isKnown);
    const target = resolveRoleName(meant, modelDirectory) ?? meant;
    if (all.has(id) || target === id) continue;
    const resolved = target === 'auto' ? undefined : modelDirectory.resolve(target);
    const own = all.get(resolved?.is === 'found' ? resolved.model.id : target);
    if (own) all.set(id, { ...own, id });
  }
  return [...all.values()];
}

function listed(modelDirectory: Pick<ModelDirectory, 'models'>): readonly GatewayModel[] {
  const byName = new Map<string, GatewayModel>();
  for (const { model, isUsable } of modelDirectory.models()) {
    // The extractive fallback is not listed; of two models with one name the first is.
    if (!isUsable || model.provider === 'extractive' || byName.has(model.id)) continue;
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
