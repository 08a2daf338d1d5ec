import type { ResultRecord, ResultStore } from '#core/stores/results.ts';
import type { Disk } from './disk.ts';
import { EPOCH_MS } from './sim-process.ts';
import type { Commit } from './sim-jobs.ts';
import type { Simulation } from './simulation.ts';

export function createSimResults(
  { results }: Disk,
  simulation: Simulation,
  commit: Commit,
): ResultStore {
  type Kept = ResultRecord & { readonly text: string };
  const mine = (id: string, principal: string): Kept | undefined => {
    const kept = results.get(id);
    return kept?.principal === principal ? kept : undefined;
  };
  return {
    async keep(result) {
      const kept = { ...result, chars: result.text.length, createdAt: EPOCH_MS + simulation.now };
      await commit(`keep ${result.id}`, () => {
        if (!results.has(result.id)) results.set(result.id, kept);
      });
    },
    async read(id, principal, offset, maxChars) {
      const kept = mine(id, principal);
      return kept && { ...kept, offset, text: kept.text.slice(offset, offset + maxChars) };
    },
    async list(principal, limit) {
      const own = [...results.values()].filter((kept) => kept.principal === principal);
      return own.reverse().slice(0, limit);
    },
  };
}
