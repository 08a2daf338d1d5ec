export interface StreamedAnswerOptions {
  /** The end of a piece that the next one may belong to; it waits for that. */
  readonly unfinished: RegExp;
  readonly write: (text: string) => void;
  readonly endLine: () => void;
}

/** Passes the pieces of an answer on, and at its end what is missing of the whole. */
export interface StreamedAnswer {
  readonly hasBegun: boolean;
  add(text: string): void;
  finish(whole: string): void;
  /** What still waits for the next piece; nothing waits after it. */
  takeHeld(): string;
}

export function createStreamedAnswer(options: StreamedAnswerOptions): StreamedAnswer {
  const { unfinished, write, endLine } = options;
  let pieces: string[] = [];
  let held = '';
  return {
    get hasBegun() {
      return pieces.length > 0;
    },
    add(text) {
      const next = held + text;
      held = unfinished.exec(next)?.[0] ?? '';
      const whole = next.slice(0, next.length - held.length);
      if (whole === '') return;
      pieces.push(whole);
      write(whole);
    },
    finish(whole) {
      held = '';
      const shown = pieces.join('');
      const isBeginning = whole.startsWith(shown);
      // The streamed text belonged to a coalesced call that was joined late: print the whole
      // answer.
      if (!isBeginning) endLine();
      write(isBeginning ? whole.slice(shown.length) : whole);
      pieces = [whole];
      endLine();
    },
    takeHeld() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}
