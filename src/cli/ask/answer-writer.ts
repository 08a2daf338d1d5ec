import { escapeControls } from '../format/escape-controls.ts';
import type { Output } from '../io.ts';

/** Prints an answer while it is streamed. */
export interface AnswerWriter {
  readonly hasBegun: boolean;
  add(text: string): void;
  /** Prints the part of the whole answer that is missing, and ends its last line. */
  finish(whole: string): void;
  /** Ends the output without the rest of the answer. */
  breakOff(): void;
}

const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

export function createAnswerWriter(output: Output): AnswerWriter {
  let shown = '';
  /** A high surrogate that waits for its second half. */
  let held = '';
  let isLineOpen = false;

  function write(text: string): void {
    const safe = escapeControls(text);
    if (safe === '') return;
    isLineOpen = !safe.endsWith('\n');
    output.write(safe);
  }

  function endLine(): void {
    if (isLineOpen) output.write('\n');
    isLineOpen = false;
  }

  function add(text: string): void {
    const next = held + text;
    held = HALF_CHARACTER.exec(next)?.[0] ?? '';
    const whole = next.slice(0, next.length - held.length);
    shown += whole;
    write(whole);
  }

  return {
    get hasBegun() {
      return shown !== '';
    },
    add,
    finish(whole) {
      held = '';
      const isBeginning = whole.startsWith(shown);
      // The streamed text belonged to a coalesced call that was joined late: print the whole
      // answer.
      if (!isBeginning) endLine();
      write(isBeginning ? whole.slice(shown.length) : whole);
      endLine();
    },
    breakOff: endLine,
  };
}
