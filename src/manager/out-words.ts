import type { Model } from '#models/model.ts';
import type { Unable } from './capable.ts';

const MAX_REASONS = 3;
const MAX_NAMES = 3;

/** Who is out and why, each reason once: `kimi-k3, kimi-k2.6: it has no key; glm-5.3: it cannot take pictures`. */
export function outWords(
  out: readonly { readonly model: Model; readonly verdict: Unable }[],
): string {
  const byReason = new Map<string, Set<string>>();
  for (const { model, verdict } of out) {
    const names = byReason.get(verdict.because) ?? new Set<string>();
    const isNameless = model.provider === 'custom' && model.id === 'default';
    byReason.set(verdict.because, names.add(isNameless ? 'your own server' : model.id));
  }
  const told = [...byReason].map(([because, ids]) => reasonOf(because, [...ids]));
  const more = told.length - MAX_REASONS;
  return told.slice(0, MAX_REASONS).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function reasonOf(because: string, ids: readonly string[]): string {
  const [only = ''] = ids;
  // What a breaker says has the name in it.
  if (ids.length === 1 && because.includes(only)) return because;
  const more = ids.length - MAX_NAMES;
  const names = ids.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `${names}: ${because}`;
}
