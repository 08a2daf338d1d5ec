import { toMicroUsd } from '#core/money.ts';
import { oneLine } from '#core/one-line.ts';
import type { Wishes } from '../gateway/dialect.ts';
import { isAbsent, readChoice, readObject, readSwitch, refuse } from './field.ts';

const NONE: Wishes = {};
const NAMES: readonly string[] = ['continue', 'fallback', 'prefer', 'max_cost_usd'];

/** `exai: {…}` of a body: the wishes that our header fields carry, for clients that cannot set any. */
export function readOwnWishes(given: unknown): Wishes {
  if (isAbsent(given)) return NONE;
  const own = readObject(given, 'exai');
  for (const name in own) {
    // A wish about money that is misspelt must not be taken for none.
    if (!NAMES.includes(name)) {
      const fix = `Send ${NAMES.join(', ')} alone.`;
      throw refuse(`exai.${oneLine(name, 40)}`, 'There is no such wish.', fix);
    }
  }
  const going = readSwitch(own['continue'], 'exai.continue');
  const fallback = readChoice(own['fallback'], 'exai.fallback', ['chain', 'none']);
  const prefer = readChoice(own['prefer'], 'exai.prefer', ['speed', 'cost']);
  const maxCostMicroUsd = readCost(own['max_cost_usd']);
  return {
    ...(going !== undefined && { whenBroken: going ? 'go_on' : 'fail' }),
    ...(fallback && { fallback }),
    ...(prefer && { prefer }),
    ...(maxCostMicroUsd !== undefined && { maxCostMicroUsd }),
  };
}

function readCost(given: unknown): number | undefined {
  if (isAbsent(given)) return undefined;
  const microUsd = typeof given === 'number' && given >= 0 ? toMicroUsd(given) : Number.NaN;
  if (Number.isSafeInteger(microUsd)) return microUsd;
  const message = 'exai.max_cost_usd must be an amount of dollars.';
  throw refuse('exai.max_cost_usd', message, 'Send a number from 0 on, like 0.01.');
}
