/** Text of a continuation goes in, what is really new of it comes out. */
export interface Seam {
  add(text: string): string;
  /** What was still held back. */
  end(): string;
}

const MAX_HELD_CHARS = 400;
/** Less than this in common may well be chance. */
const MIN_OVERLAP_CHARS = 8;
/** All of what there is, said once more, is a repetition although it is short. */
const MIN_WHOLE_CHARS = 4;
/** Brackets, bars and digits follow one another in tables and code: without a word it takes more of them. */
const MIN_WORDLESS_CHARS = 16;
const MIN_WORDLESS_WHOLE_CHARS = 12;
/** So many different ones are as good as a word where they are all there is: that an answer begins with them twice is rare. */
const MIN_SIGNS = 3;
const MIN_RESTART_CHARS = 40;

/**
 * Joins a text that was cut and its continuation by another model, which often repeats the end of what it was given, or
 * all of it. Two repetitions are known and left out:
 *
 * - The continuation begins with the end of `before`: the longest such end of 8 to 400 characters, of 16 without a letter.
 *   Where it is all there is, 4 are enough with a letter or three different signs, else 12. White space alone and a run of
 *   one character are no repetition: a cut within an indentation, a ruled line or a number looks the same, and there
 *   nothing may be lost.
 *   Nor is what the text before it says over and over, such as the rows of an empty table: the next of them looks the same.
 * - It begins the whole answer anew. Where it then goes another way, 40 characters in common are no chance: they have
 *   been told, so it goes on from where it differs; with fewer, all of it is new text.
 *
 * White space before either does not matter. Of what may still be a repetition less than 400 characters are held back; a
 * longer one can only be a new beginning, of which nothing needs to be held, as it stands in `before`.
 */
export function createSeam(before: string): Seam {
  const tail = before.slice(-MAX_HELD_CHARS);
  const start = blankPrefix(before);
  let held = '';
  let is: 'deciding' | 'following' | 'passing' = 'deciding';
  /** Of `before`, how far a new beginning has followed it. */
  let followed = 0;

  /** Lets the text out from there on. */
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
    // Half of a pair was swallowed with the piece before this one, and its other half is not the same.
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

/** Whether a text, said once more by a model that begins anew, would be known for a repetition. */
export function isRecognisable(text: string): boolean {
  const whole = text.trimStart();
  const isHalf = isHigh(text.charCodeAt(text.length - 1));
  return weightOf(whole) >= leastOf(whole, text) && isVaried(whole) && !isHalf;
}

/**
 * How much of `head`, up to there, is also the end of `tail`, leaving its first `skipped` characters out of the comparison;
 * and whether that may be more when `head` grows. Knuth, Morris and Pratt's search for `head` in `tail`: where the search
 * stands at the end of `tail` is the answer, and a find on the way may become one.
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

/** For each beginning of the text after `skipped`, the longest shorter beginning that it ends with. */
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

/** A text that ends as it begins may simply go on that way. */
function isRestart(common: string, before: string): boolean {
  const head = common.slice(0, MIN_RESTART_CHARS);
  return head.length === MIN_RESTART_CHARS && isVaried(head) && !endsLike(before, head);
}

/** Whether the end of `before` stands there once more, less than its own length earlier: then it is a pattern. */
function isPattern(end: string, before: string): boolean {
  for (let shift = 1; shift <= end.length; shift++) {
    const from = before.length - end.length - shift;
    if (from >= 0 && before.startsWith(end, from)) return true;
  }
  return false;
}

/** Whether the last stretch of `before`, twice as long as `head`, is made of it. */
function endsLike(before: string, head: string): boolean {
  const at = before.slice(-2 * head.length).indexOf(head);
  return at !== -1 && isPattern(before.slice(-head.length), before);
}

/** A character of Chinese, Japanese or Korean says as much as two letters. */
function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length && weight < MIN_WORDLESS_CHARS; at++) {
    const code = text.charCodeAt(at);
    weight += code > 0x2e7f && code < 0xd800 ? 2 : 1;
  }
  return weight;
}

/** How much has to be the same before it is no chance. */
function leastOf(common: string, before: string): number {
  const isWhole = common === before.trimStart();
  if (/\p{L}/u.test(common)) return isWhole ? MIN_WHOLE_CHARS : MIN_OVERLAP_CHARS;
  if (!isWhole) return MIN_WORDLESS_CHARS;
  const signs = new Set(common.replaceAll(/\s/gu, ''));
  return signs.size >= MIN_SIGNS ? MIN_WHOLE_CHARS : MIN_WORDLESS_WHOLE_CHARS;
}

/** More than white space and more than one character over and over. */
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
