import type { ErrorClass } from '#core/error-class.ts';
import { oneLine } from '#core/one-line.ts';
import { waitMs, type HalfOpen, type Open, type Trouble } from './breaker.ts';
import type { BreakerRules } from './breaker-rules.ts';
import type { ClassCounts } from './rolling-window.ts';

const MAX_NAME_CHARS = 120;

const AT_ONCE: { readonly [name in ErrorClass]?: string } = {
  auth: ': its key was refused',
  billing: ': it wants payment',
  quota: ': the allowance of the account is used up',
  rate_limit: ' asked to slow down',
  not_found: ': the provider no longer has this model',
};

/** Why a breaker is not closed, for people. */
export function sentenceOf(
  key: string,
  state: Open | HalfOpen,
  at: number,
  rules: BreakerRules,
): string {
  const name = oneLine(key, MAX_NAME_CHARS);
  return `${name}${troubleWords(state.trouble, rules)}; ${nextWords(state, at, rules)}.`;
}

export function backWords(key: string, word: 'closed' | 'half_open' | 'forgotten'): string {
  const name = oneLine(key, MAX_NAME_CHARS);
  if (word === 'closed') return `${name} answers again.`;
  if (word === 'half_open') return `${name} has rested and is tried again.`;
  return `${name} was not asked for long, and made room for others.`;
}

function troubleWords(
  { how, class: errorClass, tally }: Trouble,
  { windowMs, failuresInRow }: BreakerRules,
): string {
  const isMany = how === 'window' || how === 'row';
  const classes = `(${isMany ? classWords(tally.classes) : errorClass})`;
  if (how === 'row') return ` failed ${failuresInRow} times in a row ${classes}`;
  if (how === 'probe') return ` failed again when it was tried ${classes}`;
  if (how === 'at_once') return `${AT_ONCE[errorClass] ?? ' failed'} ${classes}`;
  return ` failed ${tally.failures} of ${tally.calls} requests within ${spanWords(windowMs)} ${classes}`;
}

function nextWords(state: Open | HalfOpen, at: number, rules: BreakerRules): string {
  const leftMs = waitMs(state, at, rules);
  if (leftMs === 0) return 'the next request tries it again';
  return state.is === 'open' ? `next try in ${timeWords(leftMs)}` : 'it is being tried again now';
}

/** The most frequent first. */
function classWords(classes: ClassCounts): string {
  return Object.entries(classes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => name)
    .join(', ');
}

function spanWords(ms: number): string {
  return ms === 60_000 ? 'a minute' : timeWords(ms);
}

function timeWords(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`;
}
