import type { Output } from './io.ts';
import { harmless } from './terminal-text.ts';

/** Shows an answer as it comes. */
export interface AnswerWriter {
  readonly hasBegun: boolean;
  add(text: string): void;
  /** Shows what is missing of the whole answer, and ends its last line. */
  finish(whole: string): void;
  /** Nothing more comes: what was shown is all there is. */
  breakOff(): void;
}

const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

export function createAnswerWriter(output: Output): AnswerWriter {
  let shown = '';
  /** The first half of a character, which means nothing without the second. */
  let held = '';
  let isLineOpen = false;

  function write(text: string): void {
    const safe = harmless(text);
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
      // Another's answer, joined in the middle: it is shown once more, from its beginning.
      if (!isBeginning) endLine();
      write(isBeginning ? whole.slice(shown.length) : whole);
      endLine();
    },
    breakOff: endLine,
  };
}
