import type { IncomingHttpHeaders } from 'node:http';
import type { CallError } from '#core/call-error.ts';
import { nearest } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import type { Wishes } from './dialect.ts';
import { fieldError } from './fields.ts';
import { toWishes, type EachWish } from './wishes.ts';

const NONE: Wishes = {};
const MAX_NAME_CHARS = 60;
const NAMES: EachWish<string> = {
  going: 'x-exai-continue',
  fallback: 'x-exai-fallback',
  prefer: 'x-exai-prefer',
  maxCostUsd: 'x-exai-max-cost-usd',
};

const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES));
const OURS = 'x-exai-';

/** What our own header fields ask for. Throws `validation` for a field or a value that there is not. */
export function readWishes(headers: IncomingHttpHeaders): Wishes {
  for (const name in headers) {
    // A wish about money that is misspelt must not be taken for none.
    if (name.startsWith(OURS) && !KNOWN.has(name)) throw unknownWish(name);
  }
  const going = headers[NAMES.going];
  const fallback = headers[NAMES.fallback];
  const prefer = headers[NAMES.prefer];
  const cost = headers[NAMES.maxCostUsd];
  // Nearly nobody sends any.
  const given = going ?? fallback ?? prefer ?? cost;
  if (given === undefined) return NONE;
  return toWishes({ going: meant(going), fallback, prefer, maxCostUsd: amount(cost) }, NAMES);
}

function unknownWish(name: string): CallError {
  const field = oneLine(name, MAX_NAME_CHARS);
  const meant = nearest(name, KNOWN);
  const fix =
    meant === undefined ? `There are ${[...KNOWN].join(', ')}.` : `Did you mean ${meant}?`;
  return fieldError(field, `There is no header field ${field}.`, fix);
}

/** A header field is a text; what is no switch is refused as it is. */
function meant(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/** `Number` takes more for a number than people do. */
function amount(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,12}(?:\.\d{1,12})?$/.test(value)
    ? Number(value)
    : value;
}
