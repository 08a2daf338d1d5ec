import { createBoundedMap } from '#core/bounded-map.ts';

/** What was pasted and would not fit into a line that is edited. */
export interface Pastes {
  /** What stands in the line for it: itself if it fits, or else a label. */
  take(text: string): string;
  /** The line with what its labels stand for. */
  expand(line: string): string;
}

const MAX_SHOWN_CHARS = 500;
const LABEL = /\[pasted #\d+: [\d,]+ (?:lines|characters)\]/g;

export function createPastes(maxKeptChars: number): Pastes {
  const kept = createBoundedMap<string, string>({
    maxWeight: maxKeptChars,
    // The newest is kept whatever its length.
    weigh: (text) => Math.min(text.length, maxKeptChars),
  });
  let count = 0;

  return {
    take(pasted) {
      // Terminals send a pasted line break as the key Enter.
      const text = pasted.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
      if (text.length <= MAX_SHOWN_CHARS && !/\p{Cc}/u.test(text)) return text;
      count += 1;
      const lines = text.split('\n').length;
      const size = lines > 1 ? `${number(lines)} lines` : `${number(text.length)} characters`;
      const label = `[pasted #${count}: ${size}]`;
      kept.set(label, text);
      return label;
    },
    expand: (line) => line.replaceAll(LABEL, (label) => kept.get(label) ?? label),
  };
}

/** Whether something in the line can only be understood in the chat in which it was pasted. */
export function hasLabel(line: string): boolean {
  return line.search(LABEL) !== -1;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
