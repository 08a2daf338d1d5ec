/** A filter of streamed text: takes a piece, returns the part of it to emit. */
export interface StreamStitcher {
  add(text: string): string;
  /** The text that is still held back. */
  end(): string;
}

const MAX_HELD_CHARS = 400;
/** A shorter overlap may be chance. */
const MIN_OVERLAP_CHARS = 8;
/**
 * The minimum where the whole text so far is repeated, which is a repetition although it is short.
 */
const MIN_WHOLE_CHARS = 4;
/** The minimum without a letter, as brackets, bars and digits repeat in tables and code. */
const MIN_WORDLESS_CHARS = 16;
const MIN_WORDLESS_WHOLE_CHARS = 12;
/** This many different characters count as much as a word where they are the whole text so far. */
const MIN_SIGNS = 3;
const MIN_RESTART_CHARS = 40;

/**
 * Joins an interrupted text and its continuation by another model, which often repeats the end of
 * the text or all of it. Two kinds of repetition are detected and dropped:
 *
 * - The continuation begins with the end of `before`: the longest such end of 8 to 400 characters,
 *   or 16 without a letter. If that is all of `before`, 4 are enough with a letter or three
 *   different characters, else 12. White space alone and a run of one character do not count: a cut
 *   within an indentation, a ruled line or a number looks the same, and nothing may be lost there.
 *   A pattern that `before` repeats, such as the rows of an empty table, does not count either.
 * - The continuation restarts the whole answer. If it diverges after at least 40 common characters,
 *   those were emitted already, so output starts where it differs; with fewer, all of it is new.
 *
 * Leading white space is ignored. At most 400 characters are held back while a repetition is still
 * possible; a longer one can only be a restart, which needs no buffer because its text is in
 * `before`.
 */
export function createOverlapTrimmer(before: string): StreamStitcher {
  const tail = before.slice(-MAX_HELD_CHARS);
  const start = blankPrefix(before);
  let held = '';
  let is: 'deciding' | 'following' | 'passing' = 'deciding';
  /** How far a restart has followed `before`. */
  let followed = 0;

  /** Emits the text from this position on. */
  function pass(text: string, from: number): string {
    is = 'passing';
    held = '';
    return text.slice(isInsidePair(text, from) ? from - 1 : from);
  }

  function decide(last: 'last' | 'more'): string {
    const blanks = blankPrefix(held);
    const isFull = held.length >= MAX_HELD_CHARS || last === 'last';
    const known = blanks + commonLength(held, blanks, before, start);
    const isFollowing = known === held.length;
    if (isFollowing && !isFull) return '';
    const head = held.slice(0, MAX_HELD_CHARS);
    const exact = overlapOf(head, 0, tail, before);
    const loose =
      blanks === 0 ? exact : overlapOf(head, Math.min(blanks, head.length), tail, before);
    const isHalf = isHigh(held.charCodeAt(held.length - 1));
    if (!isFull && (exact.mayGrow || loose.mayGrow || isHalf)) return '';
    const restart = isRestart(held.slice(blanks, known), before) ? known : 0;
    if (isFollowing && restart > 0 && last === 'more') {
      is = 'following';
      followed = start + known - blanks;
      held = '';
      return '';
    }
    return pass(held, Math.max(exact.chars, loose.chars, restart));
  }

  function follow(text: string): string {
    const same = commonLength(text, 0, before, followed);
    const previous = before.charCodeAt(followed - 1);
    followed += same;
    if (same === text.length && followed < before.length) return '';
    // The previous piece ended with half of a surrogate pair, and the other half differs.
    if (same === 0 && isHigh(previous) && isLow(text.charCodeAt(0)))
      return pass(String.fromCharCode(previous) + text, 0);
    return pass(text, same);
  }

  return {
    add(text) {
      if (is === 'passing') return text;
      if (is === 'following') return follow(text);
      held += text;
      return decide('more');
    },
    end: () => (is === 'deciding' && held !== '' ? decide('last') : ''),
  };
}

/**
 * Whether a text is long and varied enough to be detected as a repetition when a model restarts
 * with it.
 */
export function isRecognisable(text: string): boolean {
  const whole = text.trimStart();
  const isHalf = isHigh(text.charCodeAt(text.length - 1));
  return weightOf(whole) >= leastOf(whole, text) && isVaried(whole) && !isHalf;
}

/**
 * How many characters of `head`, without its first `skipped`, are also the end of `tail`, and
 * whether that may grow when `head` grows. A Knuth-Morris-Pratt search for `head` in `tail`: the
 * match length at the end of `tail` is the answer.
 */
function overlapOf(
  head: string,
  skipped: number,
  tail: string,
  before: string,
): { chars: number; mayGrow: boolean } {
  const length = head.length - skipped;
  if (length === 0) return { chars: 0, mayGrow: true };
  const borders = bordersOf(head, skipped);
  let matched = 0;
  let mayGrow = false;
  for (let at = 0; at < tail.length; at++) {
    const code = tail.charCodeAt(at);
    while (matched > 0 && head.charCodeAt(skipped + matched) !== code)
      matched = borders[matched - 1] ?? 0;
    if (head.charCodeAt(skipped + matched) === code) matched += 1;
    if (matched === length) mayGrow = true;
  }
  while (matched > 0 && isInsidePair(head, skipped + matched)) matched = borders[matched - 1] ?? 0;
  const common = head.slice(skipped, skipped + matched);
  const isRepetition =
    weightOf(common) >= leastOf(common, before) && isVaried(common) && !isPattern(common, before);
  return { chars: isRepetition ? skipped + matched : 0, mayGrow };
}

/** The KMP failure function of the text after `skipped`. */
function bordersOf(text: string, skipped: number): Uint16Array {
  const borders = new Uint16Array(text.length - skipped);
  let matched = 0;
  for (let at = 1; at < borders.length; at++) {
    const code = text.charCodeAt(skipped + at);
    while (matched > 0 && text.charCodeAt(skipped + matched) !== code)
      matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(skipped + matched) === code) matched += 1;
    borders[at] = matched;
  }
  return borders;
}

/** Whether the common text is a restart. A text that ends as it begins may just be repetitive. */
function isRestart(common: string, before: string): boolean {
  const head = common.slice(0, MIN_RESTART_CHARS);
  return head.length === MIN_RESTART_CHARS && isVaried(head) && !endsLike(before, head);
}

/**
 * Whether the end of `before` also occurs less than its own length earlier, as in a repeating
 * pattern.
 */
function isPattern(end: string, before: string): boolean {
  for (let shift = 1; shift <= end.length; shift++) {
    const from = before.length - end.length - shift;
    if (from >= 0 && before.startsWith(end, from)) return true;
  }
  return false;
}

/** Whether the end of `before`, twice as long as `head`, consists of it. */
function endsLike(before: string, head: string): boolean {
  const at = before.slice(-2 * head.length).indexOf(head);
  return at !== -1 && isPattern(before.slice(-head.length), before);
}

/** Length of a text, where a Chinese, Japanese or Korean character counts as two letters. */
function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length && weight < MIN_WORDLESS_CHARS; at++) {
    const code = text.charCodeAt(at);
    weight += code > 0x2e7f && code < 0xd800 ? 2 : 1;
  }
  return weight;
}

/** The minimum overlap that counts as a repetition. */
function leastOf(common: string, before: string): number {
  const isWhole = common === before.trimStart();
  if (/\p{L}/u.test(common)) return isWhole ? MIN_WHOLE_CHARS : MIN_OVERLAP_CHARS;
  if (!isWhole) return MIN_WORDLESS_CHARS;
  const signs = new Set(common.replaceAll(/\s/gu, ''));
  return signs.size >= MIN_SIGNS ? MIN_WHOLE_CHARS : MIN_WORDLESS_WHOLE_CHARS;
}

/** Whether a text is more than white space and more than one repeated character. */
function isVaried(text: string): boolean {
  const [first = ''] = text;
  return text.trim() !== '' && text.replaceAll(first, '') !== '';
}

function commonLength(text: string, from: number, other: string, otherFrom: number): number {
  const most = Math.min(text.length - from, other.length - otherFrom);
  let same = 0;
  while (same < most && text.charCodeAt(from + same) === other.charCodeAt(otherFrom + same))
    same += 1;
  return same;
}

function blankPrefix(text: string): number {
  const first = text.search(/\S/u);
  return first === -1 ? text.length : first;
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The most that is held back, for a start that is only blanks or one repeated character. */
const MAX_PREFIX_CHARS = 400;

/**
 * Holds back the first characters of an answer until they would be recognised as a repetition. An
 * answer that breaks off before that was never seen by the client, so another model can start
 * afresh; if it had been emitted, it could appear twice. Usually the first piece is enough, else
 * the second.
 */
export function createPrefixHold(): StreamStitcher {
  let held = '';
  let is: 'holding' | 'passing' = 'holding';

  function end(): string {
    const text = held;
    is = 'passing';
    held = '';
    return text;
  }

  return {
    add(text) {
      if (is === 'passing') return text;
      held += text;
      return held.length >= MAX_PREFIX_CHARS || isRecognisable(held) ? end() : '';
    },
    end,
  };
}
