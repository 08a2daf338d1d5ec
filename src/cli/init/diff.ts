export interface DiffLine {
  readonly is: 'same' | 'gone' | 'new';
  readonly text: string;
}

export interface DiffHunk {
  /** The header of a unified diff: `@@ -1,3 +1,7 @@`. */
  readonly head: string;
  readonly lines: readonly DiffLine[];
}

const CONTEXT_LINES = 2;

/**
 * The difference between two texts that differ in one place, with context lines. `shownLines` masks
 * a text line by line.
 */
export function diffOf(
  before: string,
  after: string,
  shownLines: (text: string) => readonly string[],
): DiffHunk | undefined {
  if (before === after) return undefined;
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let same = 0;
  const most = Math.min(old.length, now.length) - start;
  while (same < most && old[old.length - 1 - same] === now[now.length - 1 - same]) same++;

  const from = Math.max(0, start - CONTEXT_LINES);
  const to = Math.min(same, CONTEXT_LINES);
  const shownOld = shownLines(before);
  const oldEnd = old.length - same;
  const lines = [
    ...marked('same', shownOld.slice(from, start)),
    ...marked('gone', shownOld.slice(start, oldEnd)),
    ...marked('new', shownLines(after).slice(start, now.length - same)),
    ...marked('same', shownOld.slice(oldEnd, oldEnd + to)),
  ];
  const range = (all: readonly string[]) => {
    const count = all.length - same + to - from;
    return `${count === 0 ? 0 : from + 1},${count}`;
  };
  return { head: `@@ -${range(old)} +${range(now)} @@`, lines };
}

/** The hunk as text of a unified diff. */
export function diffText(file: string, hunk: DiffHunk): string {
  const lines = hunk.lines.map(({ is, text }) => `${DIFF_SIGNS[is]}${text}`);
  return [`--- ${file}`, `+++ ${file}`, hunk.head, ...lines].join('\n');
}

export const DIFF_SIGNS = { same: ' ', gone: '-', new: '+' } as const;

function marked(is: DiffLine['is'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ is, text }));
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
