import { descriptorOf } from '#core/providers/list.ts';
import type { Model } from '#models/model.ts';
import { modelKey } from './model-key.ts';
import type { Situation } from './rules/rule.ts';

/** What OpenRouter has in the place of these models, each once. */
export function routedLike({ world }: Situation, likes: readonly Model[]): readonly Model[] {
  const found = new Map<string, Model>();
  for (const like of likes) {
    if (descriptorOf(like.provider).openRouterVendor === undefined) continue;
    const model = world.openrouter(like);
    if (model) found.set(modelKey(model), model);
  }
  return [...found.values()];
}
