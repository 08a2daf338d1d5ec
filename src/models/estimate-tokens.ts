import { KIND, KINDS } from './char-classes.ts';

/** Costs are integer hundredths of a token, so that sums are exact. */
const TOKEN = 100;

/**
 * What words of the Latin script cost by their length, after a space and after anything else:
 * vocabularies hold words with the space before them, and other beginnings seldom. Measured against
 * o200k on prose and code.
 */
const AFTER_SPACE = [0, 100, 100, 102, 104, 106, 110, 116, 125, 145, 172, 184, 200, 215];
const ELSEWHERE = [0, 102, 106, 116, 122, 128, 138, 153, 175, 203, 228, 243, 263, 275];
/** Cost of each further letter, and of letters beyond natural word lengths. */
const LONG_WORD_LETTER = 25;
const NATURAL_WORD = 20;
const ENDLESS_WORD_LETTER = 50;
/** Words with accents are rarer in vocabularies. */
const ACCENT = 100;
/** Upper-case words split into more tokens. */
const CAPITAL = 22;
/** Longer runs of words and numbers without a break are encoded bytes, not identifiers. */
const ENCODED_FROM = 4;
const ENCODED = 70;

/** Cost per unit of each kind. */
const PER_UNIT: Readonly<Partial<Record<number, number>>> = {
  [KIND.ideograph]: 83,
  [KIND.kana]: 64,
  [KIND.script]: 50,
  [KIND.rare]: 150,
  [KIND.surrogate]: 100,
  [KIND.mark]: 90,
};

/** Longer texts are estimated from samples: their tokens alone would block the event loop. */
const MAX_WHOLE_CHARS = 2_000_000;

/** Estimates the tokens of a text; only the empty text has none. */
export function estimateTokens(text: string): number {
  if (text.length > MAX_WHOLE_CHARS) return fromSamples(text, SAMPLES_OF_LARGE);
  return estimateWhole(text);
}

/**
 * Estimates the tokens of a text in one pass, rather too many than too few. The pieces are those that byte-pair vocabularies are trained on: a word with the sign
 * before it, three digits, a run of signs with the line's end after it, indentation.
 */
function estimateWhole(text: string): number {
  let cost = 0;
  let at = 0;
  /** Words and numbers since the last break. */
  let unbroken = 0;
  while (at < text.length) {
    const kind = KINDS[text.charCodeAt(at)] ?? KIND.rare;
    const start = at;
    switch (kind) {
      case KIND.lower:
      case KIND.upper:
      case KIND.accented:
        at = wordEnd(text, at);
        cost += wordCost(text, start, at) + (unbroken >= ENCODED_FROM ? ENCODED : 0);
        unbroken += 1;
        at = contractionEnd(text, at);
        continue;
      case KIND.digit:
        at = runEnd(text, at, KIND.digit);
        cost += Math.ceil((at - start) / 3) * TOKEN;
        unbroken += 1;
        continue;
      case KIND.symbol:
        at = runEnd(text, at, KIND.symbol);
        cost += symbolCost(text, start, at);
        // Vocabularies know signs with the end of the line after them, which is counted with the
        // next piece.
        if (KINDS[text.charCodeAt(at)] === KIND.newline) cost -= TOKEN;
        break;
      case KIND.space:
        at = runEnd(text, at, KIND.space);
        cost += spaceCost(text, start, at);
        break;
      case KIND.newline:
        at = runEnd(text, at, KIND.newline);
        cost += TOKEN * Math.ceil((at - start) / 16);
        break;
      case KIND.alphabet:
        at = runEnd(text, at, KIND.alphabet);
        cost += Math.max(TOKEN, 42 + 28 * (at - start));
        break;
      case KIND.hangul:
        at = runEnd(text, at, KIND.hangul);
        cost += 38 + 62 * (at - start);
        break;
      default:
        at += 1;
        cost += PER_UNIT[kind] ?? TOKEN;
    }
    unbroken = 0;
  }
  return Math.ceil(cost / TOKEN);
}

function runEnd(text: string, from: number, kind: number): number {
  let at = from;
  while (at < text.length && KINDS[text.charCodeAt(at)] === kind) at += 1;
  return at;
}

/** Capitals, then small letters: a capital after a small one begins the next piece. */
function wordEnd(text: string, from: number): number {
  let at = runEnd(text, from, KIND.upper);
  for (; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)];
    if (kind !== KIND.lower && kind !== KIND.accented) break;
  }
  return at;
}

function wordCost(text: string, start: number, end: number): number {
  const table = start > 0 && text.charCodeAt(start - 1) === 0x20 ? AFTER_SPACE : ELSEWHERE;
  const letters = end - start;
  let cost = table[letters] ?? longWordCost(letters, table);
  let capitals = 0;
  for (let at = start; at < end; at++) {
    const kind = KINDS[text.charCodeAt(at)];
    if (kind === KIND.upper) capitals += 1;
    else if (kind === KIND.accented) cost += ACCENT;
  }
  return cost + CAPITAL * Math.max(0, capitals - 2);
}

function longWordCost(letters: number, table: readonly number[]): number {
  const longest = table.length - 1;
  return (
    (table[longest] ?? 0) +
    LONG_WORD_LETTER * (Math.min(letters, NATURAL_WORD) - longest) +
    ENDLESS_WORD_LETTER * Math.max(0, letters - NATURAL_WORD)
  );
}

/** `'s`, `'t`, `'ll` and the like belong to the word before them. */
function contractionEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== 0x27) return from;
  const letters = runEnd(text, from + 1, KIND.lower) - from - 1;
  return letters === 1 || letters === 2 ? from + 1 + letters : from;
}

function symbolCost(text: string, start: number, end: number): number {
  // One sign belongs to the word after it.
  if (end - start === 1) return isLetter(text, end) ? 0 : TOKEN;
  let cost = TOKEN;
  let changes = 0;
  for (let at = start + 1; at < end; at++) {
    if (text.charCodeAt(at) === text.charCodeAt(at - 1)) cost += 6;
    else {
      changes += 1;
      if (changes > 1) cost += changes === 2 ? 25 : 45;
    }
  }
  return cost;
}

function spaceCost(text: string, start: number, end: number): number {
  const spaces = end - start;
  if (end === text.length) return indentCost(spaces);
  const next = KINDS[text.charCodeAt(end)];
  // The end of the line takes in what stands before it.
  if (next === KIND.newline) return indentCost(spaces - 32);
  if (next === KIND.digit) return TOKEN + indentCost(spaces - 1);
  if (next === KIND.ideograph || next === KIND.kana) return 40 + indentCost(spaces - 1);
  // The last one belongs to what follows.
  return indentCost(spaces - 1);
}

function indentCost(spaces: number): number {
  return Math.max(0, Math.ceil(spaces / 32)) * TOKEN;
}

function isLetter(text: string, at: number): boolean {
  const kind = at < text.length ? KINDS[text.charCodeAt(at)] : KIND.symbol;
  return kind === KIND.lower || kind === KIND.upper || kind === KIND.accented;
}

const SAMPLES = 16;
const SAMPLES_OF_LARGE = 32;
const SAMPLE_CHARS = 16_384;

/**
 * Estimates the tokens of a text of any length in a few milliseconds, from samples if it is long.
 */
export function estimateSampled(text: string): number {
  return text.length <= SAMPLES * SAMPLE_CHARS ? estimateWhole(text) : fromSamples(text, SAMPLES);
}

/** Of a text that is longer than its samples, which are evenly spaced. */
function fromSamples(text: string, samples: number): number {
  const step = (text.length - SAMPLE_CHARS) / (samples - 1);
  let tokens = 0;
  for (let each = 0; each < samples; each++) {
    const from = Math.floor(each * step);
    tokens += estimateWhole(text.slice(from, from + SAMPLE_CHARS));
  }
  return Math.ceil((tokens * text.length) / (samples * SAMPLE_CHARS));
}

/**
 * Maximum relative error of an estimate for natural texts; `estimate-tokens.test.ts` verifies it.
 */
export const ESTIMATE_ERROR = 0.15;

/** Whether an exact count could change a decision based on an estimate. */
export function nearLimit(estimate: number, limit: number): boolean {
  return Math.abs(estimate - limit) <= limit * ESTIMATE_ERROR;
}
