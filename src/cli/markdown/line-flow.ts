import type { Colour, Paint } from '../format/colors.ts';
import { displayWidth, measureCharacters } from '../terminal/display-width.ts';

export interface FlowOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** Read for each line, as a window can be resized. */
  readonly columns: () => number;
  /** What each line begins with. */
  readonly startLine: () => string;
  /** A word wider than a line: the terminal breaks it, so that it can be copied, or it is cut up. */
  readonly longWords: 'overflow' | 'break';
}

/** Fills lines with words as they come. What was written never changes. */
export interface LineFlow {
  add(text: string, styles: readonly Colour[]): void;
  breakLine(): void;
  /** Ends the last line. */
  end(): void;
}

interface Piece {
  readonly text: string;
  readonly styles: readonly Colour[];
}

const ASCII_WORD = /^[!-~]*$/;
/** A line may be broken on both sides of these. */
const BREAKABLE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u;

/** Closing marks that no line begins with. */
const CLOSING = /[\p{Pe}\p{Pf}\p{Po}ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々]/u;

export function createLineFlow(options: FlowOptions): LineFlow {
  const { write, paint } = options;
  let column = 0;
  let lastPrefix = { text: '', width: 0 };
  /** Where the words of a line begin. */
  let start = 0;
  let state: 'line start' | 'prefix' | 'words' = 'line start';
  let spaces: Piece | undefined;
  let word: Piece[] = [];
  let wordWidth = 0;
  /** The word is wider than a line and is written without buffering. */
  let isOverflowing = false;
  /** The last character of the word allows a break behind it. */
  let mayBreak = false;

  const painted = ({ text, styles }: Piece) =>
    styles.reduce((all, style) => paint(style, all), text);

  function startLine(): void {
    if (state !== 'line start') return;
    const prefix = options.startLine();
    write(prefix);
    // Most lines begin as the one before.
    if (prefix !== lastPrefix.text) lastPrefix = { text: prefix, width: displayWidth(prefix) };
    column = lastPrefix.width;
    start = column;
    state = 'prefix';
  }

  function newLine(): void {
    write('\n');
    state = 'line start';
    column = 0;
  }

  function put(piece: Piece, width: number): void {
    write(painted(piece));
    column += width;
    state = 'words';
  }

  function commit(): void {
    isOverflowing = false;
    mayBreak = false;
    if (word.length === 0) return;
    startLine();
    const gap = spaces ? displayWidth(spaces.text) : 0;
    const needed = column + (state === 'words' ? gap : 0) + wordWidth;
    if (state === 'words' && needed > Math.max(options.columns(), start + 1)) {
      newLine();
      startLine();
    } else if (state === 'words' && spaces) put(spaces, gap);
    for (const piece of word) write(painted(piece));
    column += wordWidth;
    state = 'words';
    clearWord();
  }

  function clearWord(): void {
    word = [];
    wordWidth = 0;
    spaces = undefined;
  }

  /** Writes what there is of a word that no line can hold. */
  function overflow(): void {
    startLine();
    if (!isOverflowing && state === 'words') {
      newLine();
      startLine();
    }
    for (const piece of word) write(painted(piece));
    column += wordWidth;
    state = 'words';
    clearWord();
    isOverflowing = true;
  }

  function extend(text: string, width: number, styles: readonly Colour[]): void {
    const last = word.at(-1);
    if (last?.styles === styles) word[word.length - 1] = { text: last.text + text, styles };
    else word.push({ text, styles });
    wordWidth += width;
    if (isOverflowing) return overflow();
    const room = Math.max(1, options.columns());
    if (wordWidth > room && options.longWords === 'overflow') overflow();
  }

  function addWord(text: string, styles: readonly Colour[]): void {
    const isAscii = ASCII_WORD.test(text);
    if (isAscii && options.longWords === 'overflow' && !mayBreak)
      return extend(text, text.length, styles);
    let run = '';
    let runWidth = 0;
    const flush = () => {
      if (run !== '') extend(run, runWidth, styles);
      run = '';
      runWidth = 0;
    };
    for (const { text: char, columns } of measureCharacters(text)) {
      const isBreakable = columns > 1 && BREAKABLE.test(char);
      const isBreak = mayBreak && !CLOSING.test(char);
      const isFull =
        options.longWords === 'break' && wordWidth + runWidth + columns > options.columns();
      if (isBreakable || isBreak || isFull) {
        flush();
        commit();
      }
      run += char;
      runWidth += columns;
      mayBreak = isBreakable || (mayBreak && CLOSING.test(char));
    }
    flush();
  }

  return {
    add(text, styles) {
      for (const [part] of text.matchAll(/[ \t]+|[^ \t]+/g)) {
        const isSpace = part.startsWith(' ') || part.startsWith('\t');
        if (!isSpace) addWord(part, styles);
        else {
          commit();
          const all = `${spaces?.text ?? ''}${part.replaceAll('\t', ' ')}`;
          spaces = { text: all, styles: styles.filter((style) => style === 'underline') };
        }
      }
    },
    breakLine() {
      commit();
      startLine();
      newLine();
      spaces = undefined;
    },
    end() {
      commit();
      if (state !== 'line start') newLine();
      spaces = undefined;
    },
  };
}
