import type { Colour } from '../format/colors.ts';
import { createSpanSearch } from './span-search.ts';

/** What an inline text consists of. */
export interface InlineOutput {
  text(text: string, styles: readonly Colour[]): void;
  breakLine(): void;
}

/** Reads the inline Markdown of one block, in pieces of any length. */
export interface InlineReader {
  add(text: string): void;
  /** The block is complete: what was held back is text. */
  end(): void;
}

export interface InlineOptions {
  readonly styles: readonly Colour[];
  /** Whether `**`, backticks and the like are shown. They are where there are no styles. */
  readonly markers: 'hidden' | 'shown';
}

/** An open span: emphasis or the text of a link. */
interface Frame {
  /** Where its closing marker begins. */
  readonly end: number;
  readonly closing: number;
  readonly styles: readonly Colour[];
  /** Written behind it. */
  readonly after: string;
}

const SPECIAL = /[\\`*_~[!<\n]/g;
const ESCAPABLE = /[`*_#+\-.!|<>~]/;
const EMPHASIS: Readonly<Record<string, readonly Colour[]>> = {
  '*': ['italic'],
  _: ['italic'],
  '**': ['bold'],
  __: ['bold'],
  '***': ['bold', 'italic'],
  ___: ['bold', 'italic'],
  '~~': ['strike'],
};
const CODE: Colour = 'cyan';
const LINK: Colour = 'underline';
const URL_STYLE: Colour = 'dim';

/**
 * Text is passed on at once, except for the beginning of a span whose end has not come yet. A span
 * that is too long, or never ends, is text.
 */
export function createInlineReader(output: InlineOutput, options: InlineOptions): InlineReader {
  let buffer = '';
  let at = 0;
  let previous = '';
  let frames: Frame[] = [];
  let styles = options.styles;
  const search = createSpanSearch();
  const shows = options.markers === 'shown';

  function emit(text: string, extra: readonly Colour[] = []): void {
    if (text === '') return;
    output.text(text, extra.length === 0 ? styles : [...styles, ...extra]);
    previous = text.at(-1) ?? previous;
  }

  function open(frame: Omit<Frame, 'styles'>, added: readonly Colour[]): void {
    frames.push({ ...frame, styles });
    styles = [...styles, ...added];
  }

  function close({ end, closing, styles: outer, after }: Frame): void {
    if (shows) emit(buffer.slice(end, end + closing));
    at = end + closing;
    styles = outer;
    frames.pop();
    if (after !== '') emit(after, [URL_STYLE]);
    previous = buffer[at - 1] ?? previous;
  }

  /** Handles the special character at `at`; `wait` if what follows decides about it. */
  function special(bound: number, isFinal: boolean): 'done' | 'wait' {
    const char = buffer[at] ?? '';
    const view = { text: buffer, bound, isFinal };
    if (char === '\n') {
      output.breakLine();
      previous = char;
      at += 1;
      return 'done';
    }
    if (char === '\\') {
      const next = buffer[at + 1];
      if (next === undefined && !isFinal) return 'wait';
      const isEscape = next !== undefined && (ESCAPABLE.test(next) || next === '\n');
      if (!isEscape || shows) emit(char);
      at += 1;
      if (isEscape && next !== '\n') {
        emit(next);
        at += 1;
      }
      return 'done';
    }
    if (char === '`') {
      const found = search.codeSpan(view, at);
      if (found.is === 'wait') return 'wait';
      if (found.is === 'none') return literal(found.length);
      const code = buffer.slice(at + found.marker, found.end).replaceAll('\n', ' ');
      const marker = buffer.slice(at, at + found.marker);
      emit(shows ? `${marker}${code}${marker}` : trimCode(code), [CODE]);
      at = found.end + found.marker;
      return 'done';
    }
    if (char === '<') {
      const found = search.autolink(view, at);
      if (found.is === 'wait') return 'wait';
      if (found.is === 'none') return literal(1);
      emit(buffer.slice(shows ? at : at + 1, shows ? found.end + 1 : found.end), [LINK]);
      at = found.end + 1;
      return 'done';
    }
    if (char === '[' || char === '!') return link(view);
    return emphasis(view);
  }

  function literal(length: number): 'done' {
    emit(buffer.slice(at, at + length));
    at += length;
    return 'done';
  }

  function link(view: Parameters<typeof search.link>[0]): 'done' | 'wait' {
    const isImage = buffer[at] === '!';
    if (isImage && buffer[at + 1] === undefined && !view.isFinal) return 'wait';
    if (isImage && buffer[at + 1] !== '[') return literal(1);
    const start = isImage ? at + 1 : at;
    const found = search.link(view, start);
    if (found.is === 'wait') return 'wait';
    if (found.is === 'none') return literal(start + 1 - at);
    const text = buffer.slice(start + 1, found.textEnd);
    const target = buffer.slice(found.textEnd + 2, found.end);
    const isSame = text === target || `mailto:${text}` === target;
    if (shows) emit(buffer.slice(at, start + 1));
    const gap = text === '' ? '' : ' ';
    open(
      {
        end: found.textEnd,
        closing: found.end + 1 - found.textEnd,
        after: shows || isSame || target === '' ? '' : `${gap}(${target})`,
      },
      [LINK],
    );
    at = start + 1;
    return 'done';
  }

  function emphasis(view: Parameters<typeof search.closer>[0]): 'done' | 'wait' {
    const run = search.run(view, at);
    if (run.isCut) return 'wait';
    const marker = buffer.slice(at, at + run.length);
    const added = EMPHASIS[marker];
    const next = buffer[at + run.length] ?? '';
    if (!added || !search.canOpen(marker, previous, next)) return literal(run.length);
    const found = search.closer(view, at + run.length, marker);
    if (found.is === 'wait') return 'wait';
    if (found.is === 'none') return literal(run.length);
    if (shows) emit(marker);
    open({ end: found.end, closing: run.length, after: '' }, added);
    at += run.length;
    previous = marker.at(-1) ?? '';
    return 'done';
  }

  function read(isFinal: boolean): void {
    for (;;) {
      const top = frames.at(-1);
      if (top?.end === at) {
        close(top);
        continue;
      }
      const bound = top?.end ?? buffer.length;
      if (at >= bound) return;
      SPECIAL.lastIndex = at;
      const next = SPECIAL.exec(buffer)?.index ?? bound;
      const plainEnd = Math.min(next, bound);
      emit(buffer.slice(at, plainEnd));
      at = plainEnd;
      if (at < bound && special(bound, isFinal || top !== undefined) === 'wait') return;
    }
  }

  /** Forgets what was read, so that positions stay small. */
  function discard(): void {
    if (at === 0) return;
    buffer = buffer.slice(at);
    frames = frames.map((frame) => ({ ...frame, end: frame.end - at }));
    search.moveBack(at);
    at = 0;
  }

  return {
    add(text) {
      buffer += text;
      read(false);
      discard();
    },
    end() {
      read(true);
      discard();
    },
  };
}

/** One space on each side belongs to the markers, as in CommonMark. */
function trimCode(code: string): string {
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
  return isPadded ? code.slice(1, -1) : code;
}
