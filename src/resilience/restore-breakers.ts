import type { Clock } from '#core/clock.ts';
import type { Json } from '#core/json.ts';
import type { KeptBreakers } from './kept-breakers.ts';
import { fromSaved } from './saved-breaker.ts';

export interface SavedBreaker {
  readonly key: string;
  readonly state: Json;
  /** By the machine's clock. */
  readonly updatedAt: number;
}

/** Puts back what still says something, the newest first and as far as there is room. */
export function restoreBreakers(
  saved: readonly SavedBreaker[],
  clock: Clock,
  keptFor: (key: string) => KeptBreakers,
): void {
  const at = clock.monotonic();
  const now = clock.now();
  for (const { key, state, updatedAt } of saved.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
    const kept = keptFor(key);
    if (kept.isFull() || kept.get(key)) continue;
    // A clock that was set back meanwhile must not make the rest longer than it was.
    const elapsedMs = Number.isFinite(updatedAt) ? Math.max(0, now - updatedAt) : 0;
    const restored = fromSaved(state, elapsedMs, at, kept.rules);
    if (restored.is === 'closed' && restored.trips === 0) continue;
    kept.find(key, at).state = restored;
  }
}
