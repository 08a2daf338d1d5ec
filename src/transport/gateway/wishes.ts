import { toMicroUsd } from '#core/money.ts';
import type { Wishes } from './dialect.ts';
import { fieldProblem, isAbsent, readChoice, readSwitch } from './fields.ts';

/** For everything that can be wished for, one `T`. */
export interface EachWish<T> {
  readonly going: T;
  readonly fallback: T;
  readonly prefer: T;
  readonly maxCostUsd: T;
}

const FALLBACKS = ['chain', 'none'] as const;
const PREFERENCES = ['speed', 'cost'] as const;

/** What was wished for, wherever it was said; `names` are those of the place. Throws `validation`. */
export function toWishes(said: EachWish<unknown>, names: EachWish<string>): Wishes {
  const going = readSwitch(said.going, names.going);
  const fallback = readChoice(said.fallback, names.fallback, FALLBACKS);
  const prefer = readChoice(said.prefer, names.prefer, PREFERENCES);
  const maxCostMicroUsd = readMicroUsd(said.maxCostUsd, names.maxCostUsd);
  return {
    ...(going !== undefined && { whenBroken: going ? 'go_on' : 'fail' }),
    ...(fallback && { fallback }),
    ...(prefer && { prefer }),
    ...(maxCostMicroUsd !== undefined && { maxCostMicroUsd }),
  };
}

function readMicroUsd(value: unknown, field: string): number | undefined {
  if (isAbsent(value)) return undefined;
  const microUsd = typeof value === 'number' && value >= 0 ? toMicroUsd(value) : Number.NaN;
  if (Number.isSafeInteger(microUsd)) return microUsd;
  throw fieldProblem(field, 'must be an amount of dollars', 'Send it like 0.01.');
}
