import { toMicroUsd } from '#core/money.ts';
import { oneLine } from '#core/one-line.ts';
import type { Wishes } from '../gateway/dialect.ts';
import { isAbsent, readFields, readNumber, refuse } from './body-fields.ts';

const NAMES: readonly string[] = ['continue', 'fallback', 'prefer', 'max_cost_usd'];

/** What the member `exai` of a body asks for. */
export function readOwnWishes(value: unknown): Wishes {
  if (isAbsent(value)) return {};
  const own = readFields(value, 'exai');
  for (const name of Object.keys(own)) {
    if (NAMES.includes(name)) continue;
    // A wish about money that is misspelt must not be taken for none.
    throw refuse(
      `exai.${oneLine(name, 40)}`,
      'There is no such wish.',
      `There are ${NAMES.join(', ')}.`,
    );
  }
  const { continue: going, fallback, prefer, max_cost_usd: cost } = own;
  if (!isAbsent(going) && typeof going !== 'boolean') {
    throw refuse('exai.continue', 'This must be true or false.');
  }
  const chain = oneOf(fallback, 'exai.fallback', ['chain', 'none']);
  const wish = oneOf(prefer, 'exai.prefer', ['speed', 'cost']);
  const usd = readNumber(cost, 'exai.max_cost_usd', 0, 1_000_000);
  return {
    ...(typeof going === 'boolean' && { whenBroken: going ? 'go_on' : 'fail' }),
    ...(chain && { fallback: chain }),
    ...(wish && { prefer: wish }),
    ...(usd !== undefined && { maxCostMicroUsd: toMicroUsd(usd) }),
  };
}

function oneOf<T extends string>(
  value: unknown,
  field: string,
  known: readonly T[],
): T | undefined {
  if (isAbsent(value)) return undefined;
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw refuse(field, `This must be ${known.map((each) => `"${each}"`).join(' or ')}.`);
}
