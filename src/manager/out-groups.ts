import { groupModels, type ModelGroup } from '#core/messages/model-groups.ts';
import type { Out } from './situation.ts';

/** Models that are out, gathered by why. */
export function outGroups(out: readonly Out[]): readonly ModelGroup[] {
  return groupModels(
    out.map(({ model, verdict }) => ({
      provider: model.provider,
      model: model.id,
      reason: verdict.reason,
    })),
  );
}
