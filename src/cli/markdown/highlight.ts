import type { Colour, Paint } from '../format/colors.ts';
import { findLanguage, type Language } from './languages.ts';

/** Colours the lines of one block of code. */
export type HighlightLine = (line: string) => string;

/** A longer line is data rather than code. */
const MAX_LINE_CHARS = 2_000;

const COMMENT: Colour = 'dim';
const STRING: Colour = 'green';
const NUMBER: Colour = 'cyan';
const KEYWORD: Colour = 'magenta';

const NUMBER_SHAPE = /\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b/y;
const WORD_SHAPE = /[\p{L}_$@][\p{L}\p{N}_$-]*/uy;
const PLAIN_SHAPE = /[^\p{L}\p{N}_$@"'`/#\-<;%(*{]+|./suy;

/** The colours for a language by its name behind the fence; unknown ones stay as they are. */
export function createHighlighter(name: string, paint: Paint): HighlightLine {
  if (name === 'diff' || name === 'patch') return (line) => paintDiff(line, paint);
  const language = findLanguage(name);
  if (!language) return (line) => line;
  /** What ends the comment or string that began on an earlier line. */
  let open: { readonly end: string; readonly colour: Colour } | undefined;

  return (line) => {
    if (line.length > MAX_LINE_CHARS) return line;
    let out = '';
    let at = 0;
    while (at < line.length) {
      if (open) {
        const end = line.indexOf(open.end, at);
        const stop = end === -1 ? line.length : end + open.end.length;
        out += paint(open.colour, line.slice(at, stop));
        at = stop;
        if (end === -1) return out;
        open = undefined;
        continue;
      }
      const began = beginsBlock(line, at, language);
      if (began) {
        open = { end: began.end, colour: began.colour };
        out += paint(began.colour, began.start);
        at += began.start.length;
        continue;
      }
      const token = readToken(line, at, language);
      out += token.colour ? paint(token.colour, token.text) : token.text;
      at += token.text.length;
    }
    return out;
  };
}

function beginsBlock(line: string, at: number, { blocks }: Language) {
  for (const [start, end, kind] of blocks) {
    if (line.startsWith(start, at))
      return { start, end, colour: kind === 'comment' ? COMMENT : STRING };
  }
  return undefined;
}

function readToken(
  line: string,
  at: number,
  language: Language,
): { readonly text: string; readonly colour?: Colour } {
  if (language.lineComments.some((start) => beginsComment(line, at, start)))
    return { text: line.slice(at), colour: COMMENT };
  const char = line.charAt(at);
  if (language.quotes.includes(char)) return { text: readString(line, at), colour: STRING };
  const word = matchAt(WORD_SHAPE, line, at);
  if (word !== undefined) {
    const key = language.ignoresCase ? word.toLowerCase() : word;
    return { text: word, ...(language.keywords.has(key) && { colour: KEYWORD }) };
  }
  const number = matchAt(NUMBER_SHAPE, line, at);
  if (number !== undefined) return { text: number, colour: NUMBER };
  return { text: matchAt(PLAIN_SHAPE, line, at) ?? char };
}

/** In a shell, `#` begins a comment at the beginning of a word only. */
function beginsComment(line: string, at: number, start: string): boolean {
  if (!line.startsWith(start, at)) return false;
  return start !== '#' || at === 0 || /\s/.test(line.charAt(at - 1));
}

function readString(line: string, at: number): string {
  const quote = line.charAt(at);
  for (let end = at + 1; end < line.length; end += 1) {
    const char = line.charAt(end);
    if (char === '\\') end += 1;
    else if (char === quote) return line.slice(at, end + 1);
  }
  return line.slice(at);
}

function matchAt(shape: RegExp, line: string, at: number): string | undefined {
  shape.lastIndex = at;
  return shape.exec(line)?.[0];
}

function paintDiff(line: string, paint: Paint): string {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return paint('bold', line);
  if (line.startsWith('@@')) return paint('cyan', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
