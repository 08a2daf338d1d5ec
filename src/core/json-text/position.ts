export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds places in a text, whose lines are looked up once. Both count from 1, a column as an editor shows it. */
export function createPositions(text: string): (offset: number) => Position {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    starts.push(end + 1);
  }
  return (offset) => {
    const line = lineOf(starts, offset);
    const before = text.slice(starts[line - 1], offset);
    return { line, column: Array.from(before).length + 1 };
  };
}

/** How many lines begin at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
