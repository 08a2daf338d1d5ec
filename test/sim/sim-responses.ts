import type { ResponseStore } from '#core/stores/responses.ts';
import type { Disk } from './disk.ts';
import { EPOCH_MS } from './sim-process.ts';
import type { Commit } from './sim-jobs.ts';
import type { Simulation } from './simulation.ts';

export function createSimResponses(
  { responses }: Disk,
  simulation: Simulation,
  commit: Commit,
): ResponseStore {
  const mine = (id: string, principal: string) => {
    const stored = responses.get(id);
    return stored?.principal === principal ? stored : undefined;
  };
  return {
    async save(response) {
      const stored = { ...response, createdAt: EPOCH_MS + simulation.now };
      await commit(`save ${response.id}`, () => void responses.set(response.id, stored));
    },
    get: async (id, principal) => mine(id, principal),
    async chain(id, principal) {
      const chain = [];
      for (let next: string | null = id; next !== null; next = chain[0]?.previousId ?? null) {
        const stored = mine(next, principal);
        if (!stored) return 'missing';
        chain.unshift(stored);
      }
      return chain;
    },
    delete: async (id, principal) => mine(id, principal) !== undefined && responses.delete(id),
  };
}
