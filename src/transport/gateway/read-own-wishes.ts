import { oneLine } from '#core/one-line.ts';
import type { Wishes } from './dialect.ts';
import { fieldError, isAbsent, readObject } from './fields.ts';
import { toWishes, type EachWish } from './wishes.ts';

const NONE: Wishes = {};
const NAMES: EachWish<string> = {
  going: 'exai.continue',
  fallback: 'exai.fallback',
  prefer: 'exai.prefer',
  maxCostUsd: 'exai.max_cost_usd',
};
const KNOWN: readonly string[] = ['continue', 'fallback', 'prefer', 'max_cost_usd'];

/** `exai: {…}` of a body: the wishes that our header fields carry, for clients that cannot set any. */
export function readOwnWishes(value: unknown): Wishes {
  if (isAbsent(value)) return NONE;
  const own = readObject(value, 'exai');
  for (const name of Object.keys(own)) {
    if (KNOWN.includes(name)) continue;
    // A wish about money that is misspelt must not be taken for none.
    const fix = `Send ${KNOWN.join(', ')} alone.`;
    throw fieldError(`exai.${oneLine(name, 40)}`, 'There is no such wish.', fix);
  }
  const { continue: going, fallback, prefer, max_cost_usd: maxCostUsd } = own;
  return toWishes({ going, fallback, prefer, maxCostUsd }, NAMES);
}
