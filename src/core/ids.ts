import type { Clock } from './time/clock.ts';
import type { Random } from './random.ts';

export const ID_KINDS = ['req', 'conv', 'turn', 'job', 'res', 'file', 'client', 'writer'] as const;
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
  let time = encode(lastMs, TIME_CHARS);
  let counter = 0;
  const moveTo = (ms: number) => {
    lastMs = ms;
    time = encode(ms, TIME_CHARS);
    counter = 0;
  };
  return (kind) => {
    const now = clock.now();
    if (now > lastMs) moveTo(now);
    else if (++counter === COUNTER_LIMIT) moveTo(lastMs + 1);
    return `${kind}_${time}${encodeCounter(counter)}${randomChars(random)}`;
  };
}

export function isId<Kind extends IdKind>(text: string, kind: Kind): text is Id<Kind> {
  return text.startsWith(`${kind}_`) && SHAPE.test(text);
}

/** Creation time in milliseconds, by the clock of the creator. */
export function idTime(id: Id): number {
  const from = id.indexOf('_') + 1;
  let ms = 0;
  for (const char of id.slice(from, from + TIME_CHARS)) ms = ms * 32 + ALPHABET.indexOf(char);
  return ms;
}

function encode(value: number, chars: number): string {
  let text = '';
  for (let rest = value; text.length < chars; rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text;
  }
  return text;
}

/** `encode`, unrolled for speed. */
function encodeCounter(value: number): string {
  return String.fromCharCode(code(value >> 10), code(value >> 5), code(value));
}

/**
 * Built in one expression: every call creates an id, and concatenating in steps creates a string
 * per step.
 */
function randomChars(random: Random): string {
  const bytes = random(RANDOM_CHARS);
  const at = (index: number) => code(bytes[index] ?? 0);
  // prettier-ignore
  return String.fromCharCode(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9));
}

function code(value: number): number {
  return ALPHABET.charCodeAt(value & 31);
}
