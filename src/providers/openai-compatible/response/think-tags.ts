export interface SplitText {
  readonly text: string;
  readonly reasoning: string;
}

/** Separates reasoning from text, for servers that leave `<think>…</think>` in the text. */
export interface ThinkTagParser {
  take(piece: string): SplitText;
  /** What was held back because it might have been a marker. */
  end(): SplitText;
}

const OPEN = '<think>';
const CLOSE = '</think>';
const MAX_BLANKS = 64;

/**
 * `marks` are removed everywhere. Only a tag at the beginning of an answer counts; later tags are
 * text.
 */
export function createThinkTagParser(marks: readonly string[]): ThinkTagParser {
  let mode: 'beginning' | 'thinking' | 'between' | 'answering' = 'beginning';
  let held = '';

  function take(piece: string, isLast: boolean): SplitText {
    let text = '';
    let reasoning = '';
    held += piece;
    if (mode === 'beginning') {
      const start = held.trimStart();
      // After this many blanks the answer does not begin with a tag.
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
      if (close !== -1) mode = 'between';
    }
    if (mode === 'between') {
      // Blank lines between reasoning and text are dropped.
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
      // The common case: text without markers.
      if (mode === 'answering' && marks.length === 0) return { text: piece, reasoning: '' };
      return take(piece, false);
    },
    end: () => take('', true),
  };
}

/** How many characters at the end may be the beginning of a marker. */
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
