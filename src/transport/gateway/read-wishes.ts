import type { IncomingHttpHeaders } from 'node:http';
import type { Wishes } from './dialect.ts';
import { toWishes, type EachWish } from './wishes.ts';

const NONE: Wishes = {};
const NAMES: EachWish<string> = {
  going: 'x-exai-continue',
  fallback: 'x-exai-fallback',
  prefer: 'x-exai-prefer',
  maxCostUsd: 'x-exai-max-cost-usd',
};

/** What our own header fields ask for. Throws `validation` for a value that they do not have. */
export function readWishes(headers: IncomingHttpHeaders): Wishes {
  const going = headers[NAMES.going];
  const fallback = headers[NAMES.fallback];
  const prefer = headers[NAMES.prefer];
  const cost = headers[NAMES.maxCostUsd];
  // Nearly nobody sends any.
  const given = going ?? fallback ?? prefer ?? cost;
  if (given === undefined) return NONE;
  return toWishes({ going: meant(going), fallback, prefer, maxCostUsd: amount(cost) }, NAMES);
}

/** A header field is a text; what is no switch is refused as it is. */
function meant(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/** A text without any digit would be 0 to `Number`. */
function amount(value: unknown): unknown {
  return typeof value === 'string' && /\d/.test(value) ? Number(value) : value;
}
