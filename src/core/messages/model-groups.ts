import type { Renderer } from './coded-message.ts';
import type { Reason } from './reasons.ts';

/** Models excluded for the same reason. */
export interface ModelGroup {
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  readonly reason: Reason;
}

/** Model id of a server whose models have no names. */
const UNNAMED = 'default';
const MAX_GROUPS = 3;
const MAX_NAMES = 3;

/** `: kimi-k3, kimi-k2.6: it has no key; glm-5.3: it cannot take pictures`; empty without any. */
export function formatModelList(groups: readonly ModelGroup[], render: Renderer): string {
  const text = modelsText(groups, render);
  return text === '' ? '' : `: ${text}`;
}

export function modelsText(groups: readonly ModelGroup[], render: Renderer): string {
  const more = groups.slice(MAX_GROUPS).flatMap(({ models }) => models).length;
  return (
    groups
      .slice(0, MAX_GROUPS)
      .map((group) => groupText(group, render))
      .join('; ') + (more > 0 ? `; and ${more} more` : '')
  );
}

/** Display name of a model. */
export function formatModelName({ provider, model }: ModelGroup['models'][number]): string {
  return provider === 'custom' && model === UNNAMED ? 'your own server' : model;
}

function groupText({ models, reason }: ModelGroup, render: Renderer): string {
  const [only] = models;
  if (models.length === 1 && only && namesModel(reason, only)) return render.reason(reason);
  const more = models.length - MAX_NAMES;
  const names = models.slice(0, MAX_NAMES).map(formatModelName).join(', ');
  return `${names}${more > 0 ? ` and ${more} more` : ''}: ${render.reason(reason)}`;
}

/** Breaker texts start with the key, which names the model. */
function namesModel(reason: Reason, { provider, model }: ModelGroup['models'][number]): boolean {
  return reason.code === 'breaker_open' && reason.params.key === `${provider}/${model}`;
}

/** Groups models by reason, in order of first occurrence. */
export function groupModels(
  models: readonly { readonly provider: string; readonly model: string; readonly reason: Reason }[],
): readonly ModelGroup[] {
  const groups = new Map<
    string,
    { models: { provider: string; model: string }[]; reason: Reason }
  >();
  const seen = new Set<string>();
  for (const { provider, model, reason } of models) {
    const key = groupKey(reason);
    const group = groups.get(key) ?? { models: [], reason };
    groups.set(key, group);
    if (seen.has(`${key} ${provider} ${model}`)) continue;
    seen.add(`${key} ${provider} ${model}`);
    group.models.push({ provider, model });
  }
  return [...groups.values()];
}

/**
 * Models of one provider that cool down together differ by the moment at which each was looked at.
 */
function groupKey(reason: Reason): string {
  if (reason.code !== 'breaker_open') return JSON.stringify(reason);
  const { retryInMs: _, ...rest } = reason.params;
  return JSON.stringify({ code: reason.code, params: rest });
}
