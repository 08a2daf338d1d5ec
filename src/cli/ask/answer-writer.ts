import { escapeControls } from '../format/escape-controls.ts';
import type { Output } from '../io.ts';
import { createStreamedAnswer } from './streamed-answer.ts';

/** Prints an answer while it is streamed. */
export interface AnswerWriter {
  readonly hasBegun: boolean;
  add(text: string): void;
  /** Prints the part of the whole answer that is missing, and ends its last line. */
  finish(whole: string): void;
  /** Ends the output without the rest of the answer. */
  breakOff(): void;
}

/** A high surrogate, which waits for its second half. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** `unchanged`: for a pipe whose reader wants every byte of the answer. */
export function createAnswerWriter(
  output: Output,
  text: 'escaped' | 'unchanged' = 'escaped',
): AnswerWriter {
  let isLineOpen = false;

  function write(piece: string): void {
    const safe = text === 'unchanged' ? piece : escapeControls(piece);
    if (safe === '') return;
    isLineOpen = !safe.endsWith('\n');
    output.write(safe);
  }

  function endLine(): void {
    if (isLineOpen) output.write('\n');
    isLineOpen = false;
  }

  const answer = createStreamedAnswer({ unfinished: HALF_CHARACTER, write, endLine });
  return {
    get hasBegun() {
      return answer.hasBegun;
    },
    add: (text) => answer.add(text),
    finish: (whole) => answer.finish(whole),
    breakOff: endLine,
  };
}
