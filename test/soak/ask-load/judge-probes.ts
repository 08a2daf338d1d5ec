import { spansOf, type Span } from './breaker-life.ts';
import type { Crumbs } from './crumbs.ts';
import type { Seen } from './seen.ts';

export interface Probing {
  /** How often a breaker opened. */
  readonly openings: number;
  /** Times in which one was let through to try. */
  readonly trials: number;
  /** Requests that were let through before it opened, and reached the vendor after. */
  readonly stragglers: number;
  /** The most of them after one opening. */
  readonly mostStragglers: number;
  /** What reached a vendor without leave; a sentence each. */
  readonly faults: readonly string[];
}

/** Lines and requests are stamped by two processes, in whole milliseconds. */
const ROUNDING_MS = 5;
/** A question about a question waits no longer than this, be it for its turn. */
const ASIDE_MS = 1500;

/** Whether those who rest are left alone, by what the vendors themselves have seen. */
export function judgeProbes(
  { changes, attempts }: Crumbs,
  seen: readonly Seen[],
  reqIds: ReadonlyMap<number, string>,
): Probing {
  const spans = spansOf(changes);
  const byCall = grouped(attempts, ({ reqId, key }) => `${reqId} ${key}`);
  const byKey = grouped(seen, ({ vendor, model }) => `${vendor}/${model}`);

  /** Whether it got leave in this span, and not while the breaker was still closed. */
  function isBegun(
    { number, atMs, isAside }: Seen,
    { key, is, fromMs, openedAtMs }: Span,
  ): boolean {
    // Nothing tells when one of these got leave; what may have waited since before is given the
    // benefit of the doubt.
    if (isAside) return atMs - ASIDE_MS > openedAtMs;
    const own = byCall.get(`${reqIds.get(number ?? 0)} ${key}`) ?? [];
    const during = own.find(
      (attempt) => attempt.startedAtMs <= atMs + ROUNDING_MS && atMs <= attempt.atMs + ROUNDING_MS,
    );
    const beganAtMs = during?.startedAtMs ?? atMs;
    return is === 'open' ? beganAtMs > fromMs + ROUNDING_MS : beganAtMs >= fromMs - ROUNDING_MS;
  }

  const faults: string[] = [];
  let mostStragglers = 0;
  let stragglers = 0;
  for (const span of spans) {
    const fromMs = span.fromMs + (span.is === 'open' ? ROUNDING_MS : -ROUNDING_MS);
    const within = (byKey.get(span.key) ?? []).filter(
      ({ atMs }) => atMs > fromMs && atMs < span.toMs - ROUNDING_MS,
    );
    const begun = within.filter((each) => isBegun(each, span));
    // One leave may be several exchanges, as when an answer has to be asked for again in the right
    // form.
    const leaves = new Set(begun.map(({ number, isAside }) => `${number} ${isAside}`)).size;
    if (leaves > (span.is === 'open' ? 0 : 1)) faults.push(sentence(span, begun));
    if (span.is === 'half_open') continue;
    const restedMs = span.toMs - span.fromMs;
    if (restedMs < (span.coolOffMs ?? 0) - ROUNDING_MS)
      faults.push(`${span.key} rested ${restedMs} ms, not ${span.coolOffMs}`);
    stragglers += within.length - begun.length;
    mostStragglers = Math.max(mostStragglers, within.length - begun.length);
  }
  return {
    openings: spans.filter(({ is }) => is === 'open').length,
    trials: spans.filter(({ is }) => is === 'half_open').length,
    stragglers,
    mostStragglers,
    faults,
  };
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

function sentence({ key, is, fromMs, toMs }: Span, begun: readonly Seen[]): string {
  const when = begun.map(
    ({ atMs, isAside }) => `${Math.round(atMs - fromMs)}${isAside ? ' (aside)' : ''}`,
  );
  const during = `${is} for ${Math.round(toMs - fromMs)} ms`;
  return `${begun.length} reached ${key} while it was ${during}: after ${when.join(', ')}`;
}
