import { isHighSurrogate, isLowSurrogate } from './code-units.ts';
import { mayBeEmitted } from './prefix-hold.ts';
import type { StreamStitcher } from './stitcher.ts';
import { UNSPACED } from './unspaced.ts';

/** Holds back the end of a stream from its last word on. */
export interface WordHold extends StreamStitcher {
  /** The text that is held back. */
  readonly held: string;
}

/** Of a word that is longer, such as encoded data, only this much is held back. */
const MAX_HELD_CHARS = 64;
/** A shorter last word is held back together with the word before it, as it may return by chance. */
const MIN_WORD_CHARS = 2;

/**
 * Holds back the last word of a running stream with the white space before it, until the next word
 * shows that it is complete. So a text that breaks off ends with a whole word, not at an accidental
 * place, and its next word is known: see `placeOfHeldBack`.
 *
 * `before`: text was emitted before this stream. The first piece of an answer is emitted at once; it
 * is cut at a word only if what is left is enough to be recognised.
 */
export function createWordHold(before: string): WordHold {
  let held = '';
  let isFirst = before === '';
  return {
    add(text) {
      if (text === '') return '';
      held += text;
      let at = startOfLastWord(held);
      if (isFirst) {
        isFirst = false;
        if (!mayBeEmitted(held.slice(0, at))) at = held.length;
      }
      const passed = held.slice(0, at);
      held = held.slice(at);
      return passed;
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
    get held() {
      return held;
    },
  };
}

/** The last word of a longer piece is looked for in this much of its end. */
const LOOKED_AT_CHARS = 2000;

/** Where the last word begins, with the white space and the mark of a list before it. */
function startOfLastWord(whole: string): number {
  const before = Math.max(0, whole.length - LOOKED_AT_CHARS);
  return before + startIn(whole.slice(before));
}

function startIn(text: string): number {
  let start = wordStart(text, text.length);
  if (start.end - start.at < MIN_WORD_CHARS && start.at > 0) start = wordStart(text, start.at);
  const at = beforeLineMark(text, beforeBlanks(text, start.at));
  return text.length - at <= MAX_HELD_CHARS ? at : wholeCharacter(text, MAX_HELD_CHARS / 2);
}

interface Word {
  readonly at: number;
  readonly end: number;
}

/** The last word before this position; a character of a script without spaces is a word. */
function wordStart(text: string, from: number): Word {
  let end = from;
  while (end > 0 && kindOf(text, end - 1) === 'mark') end -= 1;
  let at = end;
  if (at > 0 && kindOf(text, at - 1) === 'character') {
    at -= 1;
    while (at > 0 && isJoined(text, at)) at -= 1;
    return { at, end: at + 1 };
  }
  while (at > 0 && (kindOf(text, at - 1) === 'letter' || isWithinWord(text, at - 1))) at -= 1;
  return { at, end };
}

/** `letter`: of a word with spaces around it. `character`: a word by itself. `mark`: no part of a word. */
function kindOf(text: string, at: number): 'letter' | 'character' | 'mark' {
  const code = text.charCodeAt(at);
  if (code < 0x80) return isAsciiLetter(code) ? 'letter' : 'mark';
  const char = text.charAt(at);
  if (/[\p{L}\p{N}]/u.test(char)) return UNSPACED.test(char) ? 'character' : 'letter';
  if (/\p{M}/u.test(char)) return UNSPACED.test(char) || code >= 0xfe00 ? 'character' : 'letter';
  return code === JOINER || isHighSurrogate(code) || isLowSurrogate(code) ? 'character' : 'mark';
}

/** Joins emoji to one. */
const JOINER = 0x200d;

function isAsciiLetter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}

/** Whether a character belongs to the one before it. */
function isJoined(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (isLowSurrogate(code)) return isHighSurrogate(text.charCodeAt(at - 1));
  return code === JOINER || text.charCodeAt(at - 1) === JOINER || /\p{M}/u.test(text.charAt(at));
}

/** Whether a mark is within a word: "don't", "well-known", "3.14". */
function isWithinWord(text: string, at: number): boolean {
  if (at === 0 || at === text.length - 1) return false;
  const char = text.charAt(at);
  if (char === '.' || char === ',') return isDigit(text, at - 1) && isDigit(text, at + 1);
  const isMark = char === "'" || char === '’' || char === '-';
  return isMark && kindOf(text, at - 1) === 'letter' && kindOf(text, at + 1) === 'letter';
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function beforeBlanks(text: string, from: number): number {
  let at = from;
  while (at > 0 && /\s/u.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** The end of the line before, where only the mark of a list, a heading or a table precedes. */
function beforeLineMark(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at - 1);
  if (line === -1 || at === 0) return at;
  return /^\s*(?:[^\p{L}\p{N}]*|\d{1,3}[.)])$/u.test(text.slice(line + 1, at))
    ? beforeBlanks(text, line)
    : at;
}

function wholeCharacter(text: string, held: number): number {
  const at = text.length - held;
  return isJoined(text, at) ? at - 1 : at;
}
