import type { Renderer } from './coded.ts';
import type { Reason } from './reasons.ts';

/** Models that are left out for one reason. */
export interface ModelGroup {
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  readonly reason: Reason;
}

/** The id of the model of a server whose models have no names. */
const UNNAMED = 'default';
const MAX_GROUPS = 3;
const MAX_NAMES = 3;

/** `: kimi-k3, kimi-k2.6: it has no key; glm-5.3: it cannot take pictures`; empty without any. */
export function listModels(groups: readonly ModelGroup[], render: Renderer): string {
  const text = modelsText(groups, render);
  return text === '' ? '' : `: ${text}`;
}

export function modelsText(groups: readonly ModelGroup[], render: Renderer): string {
  const more = groups.length - MAX_GROUPS;
  return (
    groups
      .slice(0, MAX_GROUPS)
      .map((group) => groupText(group, render))
      .join('; ') + (more > 0 ? `; and ${more} more` : '')
  );
}

/** How a model is named in a text. */
export function modelName({ provider, model }: ModelGroup['models'][number]): string {
  return provider === 'custom' && model === UNNAMED ? 'your own server' : model;
}

function groupText({ models, reason }: ModelGroup, render: Renderer): string {
  const [only] = models;
  if (models.length === 1 && only && namesModel(reason, only)) return render.reason(reason);
  const more = models.length - MAX_NAMES;
  const names = models.slice(0, MAX_NAMES).map(modelName).join(', ');
  return `${names}${more > 0 ? ` and ${more} more` : ''}: ${render.reason(reason)}`;
}

/** The text of a breaker begins with its key, which names the model. */
function namesModel(reason: Reason, { provider, model }: ModelGroup['models'][number]): boolean {
  return reason.code === 'breaker_open' && reason.params.key === `${provider}/${model}`;
}

/** Gathers models with the same reason, in the order in which the reasons first came. */
export function groupModels(
  models: readonly { readonly provider: string; readonly model: string; readonly reason: Reason }[],
): readonly ModelGroup[] {
  const groups = new Map<
    string,
    { models: { provider: string; model: string }[]; reason: Reason }
  >();
  const seen = new Set<string>();
  for (const { provider, model, reason } of models) {
    const key = JSON.stringify(reason);
    const group = groups.get(key) ?? { models: [], reason };
    groups.set(key, group);
    if (seen.has(`${key} ${provider} ${model}`)) continue;
    seen.add(`${key} ${provider} ${model}`);
    group.models.push({ provider, model });
  }
  return [...groups.values()];
}
