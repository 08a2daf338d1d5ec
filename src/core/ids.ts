import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export const ID_KINDS = ['req', 'conv', 'turn', 'job', 'file', 'client', 'writer'] as const;
export type IdKind = (typeof ID_KINDS)[number];
export type Id<Kind extends IdKind = IdKind> = `${Kind}_${string}`;
export type NewId = <Kind extends IdKind>(kind: Kind) => Id<Kind>;

// Crockford's alphabet in lower case: no i, l, o or u, and its order is its sort order.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 9;
const COUNTER_CHARS = 3;
const COUNTER_LIMIT = 32 ** COUNTER_CHARS;
const RANDOM_CHARS = 10;
const SHAPE = new RegExp(
  `^(${ID_KINDS.join('|')})_[${ALPHABET}]{${TIME_CHARS + COUNTER_CHARS + RANDOM_CHARS}}$`,
);

/**
 * Ids that sort by age: milliseconds, a counter within the millisecond, then 50 random bits.
 * They keep ascending when the machine's clock steps back.
 */
export function createIds(clock: Pick<Clock, 'now'>, random: Random): NewId {
  let lastMs = 0;
  let counter = 0;
  return (kind) => {
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else if (++counter === COUNTER_LIMIT) {
      lastMs += 1;
      counter = 0;
    }
    return `${kind}_${encode(lastMs, TIME_CHARS)}${encode(counter, COUNTER_CHARS)}${randomChars(random)}`;
  };
}

export function isId<Kind extends IdKind>(text: string, kind: Kind): text is Id<Kind> {
  return text.startsWith(`${kind}_`) && SHAPE.test(text);
}

function encode(value: number, chars: number): string {
  let text = '';
  for (let rest = value; text.length < chars; rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text;
  }
  return text;
}

function randomChars(random: Random): string {
  let text = '';
  for (const byte of random(RANDOM_CHARS)) text += ALPHABET.charAt(byte & 31);
  return text;
}
