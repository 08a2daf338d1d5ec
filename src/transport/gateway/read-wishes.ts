import type { IncomingHttpHeaders } from 'node:http';
import { CallError } from '#core/call-error.ts';
import type { Wishes } from './dialect.ts';

const NONE: Wishes = {};
const MICRO = 1_000_000;

/** What our own header fields ask for. Throws `validation` for a value that they do not have. */
export function readWishes(headers: IncomingHttpHeaders): Wishes {
  const going = headers['x-exai-continue'];
  const fallback = headers['x-exai-fallback'];
  const prefer = headers['x-exai-prefer'];
  const cost = headers['x-exai-max-cost-usd'];
  // Nearly nobody sends any.
  const given = going ?? fallback ?? prefer ?? cost;
  if (given === undefined) return NONE;
  return {
    ...(going !== undefined && {
      whenBroken: GOING_ON[oneOf(going, 'continue', ['true', 'false'])],
    }),
    ...(fallback !== undefined && { fallback: oneOf(fallback, 'fallback', ['chain', 'none']) }),
    ...(prefer !== undefined && { prefer: oneOf(prefer, 'prefer', ['speed', 'cost']) }),
    ...(cost !== undefined && { maxCostMicroUsd: microUsd(cost) }),
  };
}

const GOING_ON = { true: 'go_on', false: 'fail' } as const;

function oneOf<T extends string>(
  value: string | readonly string[],
  name: string,
  known: readonly T[],
): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new CallError('validation', `x-exai-${name} must be ${known.join(' or ')}.`, {
    field: `x-exai-${name}`,
  });
}

function microUsd(value: string | readonly string[]): number {
  const usd = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (Number.isFinite(usd) && usd >= 0) return Math.round(usd * MICRO);
  throw new CallError('validation', 'x-exai-max-cost-usd must be a number of dollars.', {
    field: 'x-exai-max-cost-usd',
    fix: 'Send it like 0.01.',
  });
}
