import type { BreakerLine } from './crumbs.ts';

/** A time in which a breaker let nobody through, or one to try. */
export interface Span {
  readonly key: string;
  readonly is: 'open' | 'half_open';
  readonly fromMs: number;
  /** When it was last closed. */
  readonly openedAtMs: number;
  /** Infinity for what it still is. */
  readonly toMs: number;
  /** What came of it. */
  readonly next: string | undefined;
  readonly coolOffMs: number | undefined;
}

export function spansOf(changes: readonly BreakerLine[]): readonly Span[] {
  const openedAt = new Map<string, number>();
  return changes.flatMap(({ key, from, to, atMs, cool_off_ms: coolOffMs }, index): Span[] => {
    if (from === 'closed') openedAt.set(key, atMs);
    if (to !== 'open' && to !== 'half_open') return [];
    const next = changes.slice(index + 1).find((later) => later.key === key);
    const toMs = next?.atMs ?? Infinity;
    const openedAtMs = openedAt.get(key) ?? atMs;
    return [{ key, is: to, fromMs: atMs, openedAtMs, toMs, next: next?.to, coolOffMs }];
  });
}

/** How it stands by what was told last. */
export function stateOf(changes: readonly BreakerLine[], key: string): string {
  return changes.findLast((change) => change.key === key)?.to ?? 'closed';
}

/**
 * Trials that began when the vendor was well again, before the next outage, and failed all the
 * same.
 */
export function failedTrials(
  changes: readonly BreakerLine[],
  { endedAtMs }: { readonly endedAtMs: number },
  next: { readonly beganAtMs: number } | undefined,
): readonly Span[] {
  const untilMs = next?.beganAtMs ?? Infinity;
  return spansOf(changes).filter(
    ({ is, fromMs, toMs, next: came }) =>
      is === 'half_open' && fromMs > endedAtMs && toMs < untilMs && came === 'open',
  );
}
