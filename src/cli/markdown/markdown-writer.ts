import type { AnswerWriter } from '../ask/answer-writer.ts';
import { createStreamedAnswer } from '../ask/streamed-answer.ts';
import { escapeControls, escapeUnsafe } from '../format/escape-controls.ts';
import type { Io, Output } from '../io.ts';
import { markdownStyle } from './markdown-style.ts';
import { createMarkdownRenderer } from './render-markdown.ts';

/** Where the width of the terminal is unknown. */
const USUAL_COLUMNS = 80;
/** The end of a piece that the next one may belong to: half of a character, or parts of an emoji. */
const UNFINISHED = /(?:\p{Cs}|\p{Extended_Pictographic}|\p{RI}|\p{EMod}|\uFE0F|\u200D){1,32}$/u;
/** As much of the text before as decides about a joiner. */
const CONTEXT_UNITS = 24;

export interface MarkdownWriterOptions {
  readonly output: Output;
  readonly io: Pick<Io, 'paint' | 'charset'>;
  /** The current width of the terminal; undefined or 0 where it is unknown. */
  readonly columns: () => number | undefined;
  /** Called when something is held back until it is complete. */
  readonly onHold?: (what: 'table') => void;
}

/** Prints an answer as rendered Markdown while it is streamed. */
export function createMarkdownWriter(options: MarkdownWriterOptions): AnswerWriter {
  const { output, io, columns, onHold } = options;
  let out = '';
  let before = '';
  let renderer = createRenderer();

  function createRenderer() {
    return createMarkdownRenderer({
      style: markdownStyle(io),
      columns: () => columns() || USUAL_COLUMNS,
      write: (text) => void (out += text),
    });
  }

  function flush(): void {
    if (out !== '') output.write(out);
    else if (renderer.holds) onHold?.(renderer.holds);
    out = '';
  }

  function render(text: string): void {
    renderer.add(escapeUnsafe(text, before));
    before = text.slice(-CONTEXT_UNITS);
    flush();
  }

  function end(): void {
    renderer.end();
    flush();
    renderer = createRenderer();
    before = '';
  }

  const answer = createStreamedAnswer({ unfinished: UNFINISHED, write: render, endLine: end });
  return {
    get hasBegun() {
      return answer.hasBegun;
    },
    add: (text) => answer.add(text),
    finish: (whole) => answer.finish(whole),
    breakOff() {
      const held = answer.takeHeld();
      if (held.isWellFormed()) render(held);
      end();
    },
  };
}

/** Whether Markdown is rendered: on a terminal that can show it, unless the raw text is wanted. */
export function rendersMarkdown(
  { env, width }: Pick<Io, 'env' | 'width'>,
  raw: 'raw' | 'rendered',
): boolean {
  return raw === 'rendered' && width !== undefined && env['TERM'] !== 'dumb';
}

/** A whole answer for display, without a line break at its end. */
export function formatAnswer(
  text: string,
  options: Omit<MarkdownWriterOptions, 'output' | 'onHold'> & { readonly isRendered: boolean },
): string {
  if (!options.isRendered) return escapeControls(text);
  let shown = '';
  const output = { write: (piece: string) => void (shown += piece) };
  createMarkdownWriter({ ...options, output }).finish(text);
  return shown.trimEnd();
}
