export interface Sorted {
  readonly text: string;
  readonly reasoning: string;
}

/** Sorts what a model says into answer and thought, for servers that leave `<think>…</think>` in the text. */
export interface InlineThoughts {
  take(piece: string): Sorted;
  /** What was held back because it might have become a mark. */
  end(): Sorted;
}

const OPEN = '<think>';
const CLOSE = '</think>';
const MAX_BLANKS = 64;

/** `marks` are taken out wherever they stand. Only an answer that begins with a thought has one; later tags are text. */
export function createInlineThoughts(marks: readonly string[]): InlineThoughts {
  let mode: 'beginning' | 'thinking' | 'thought' | 'answering' = 'beginning';
  let held = '';

  function take(piece: string, isLast: boolean): Sorted {
    let text = '';
    let reasoning = '';
    held += piece;
    if (mode === 'beginning') {
      const start = held.trimStart();
      // A model that has said nothing but blanks for so long does not begin with a thought.
      if (!isLast && held.length <= MAX_BLANKS && OPEN.startsWith(start))
        return { text, reasoning };
      mode = start.startsWith(OPEN) ? 'thinking' : 'answering';
      if (mode === 'thinking') held = start.slice(OPEN.length);
    }
    if (mode === 'thinking') {
      const close = held.indexOf(CLOSE);
      const until = close === -1 ? held.length - (isLast ? 0 : openTail(held, [CLOSE])) : close;
      reasoning = held.slice(0, until);
      held = close === -1 ? held.slice(until) : held.slice(close + CLOSE.length);
      if (close !== -1) mode = 'thought';
    }
    if (mode === 'thought') {
      // The blank lines between thought and answer belong to neither.
      held = held.trimStart();
      if (held !== '') mode = 'answering';
    }
    if (mode === 'answering') {
      const until = held.length - (isLast ? 0 : openTail(held, marks));
      text = without(held.slice(0, until), marks);
      held = held.slice(until);
    }
    return { text, reasoning };
  }

  return {
    take(piece) {
      // The common case: an answer under way that has no marks to look for.
      if (mode === 'answering' && marks.length === 0) return { text: piece, reasoning: '' };
      return take(piece, false);
    },
    end: () => take('', true),
  };
}

/** How many characters at the end may be the beginning of a mark. */
function openTail(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length -= 1) {
      if (mark.startsWith(text.slice(text.length - length))) longest = length;
    }
  }
  return longest;
}

function without(text: string, marks: readonly string[]): string {
  return marks.reduce((left, mark) => left.replaceAll(mark, ''), text);
}
