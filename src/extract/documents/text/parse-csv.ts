/** Rows of a file with separated values (RFC 4180, and what programs make of it). */
export function* parseCsv(
  text: string,
  delimiter: string,
): Generator<readonly string[], void, undefined> {
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const [cell, next] =
      text[at] === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter);
    row.push(cell);
    at = next;
    if (text[at] === delimiter) {
      at += 1;
      continue;
    }
    if (row.length > 1 || row[0] !== '') yield row;
    row = [];
    if (at >= text.length) break;
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    if (at >= text.length) break;
  }
}

function plainCell(text: string, start: number, delimiter: string): [string, number] {
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === delimiter || character === '\n' || character === '\r') break;
    at += 1;
  }
  return [text.slice(start, at), at];
}

/** A quote that is never closed is an ordinary character. */
function quotedCell(text: string, start: number, delimiter: string): [string, number] {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0) return plainCell(text, start, delimiter);
  const [rest, next] = plainCell(text, end + 1, delimiter);
  return [text.slice(start + 1, end).replaceAll('""', '"') + rest.trimEnd(), next];
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_ROWS = 60;

/** The delimiter that gives the most rows the same number of cells; nothing if none does. */
export function findDelimiter(text: string): string | undefined {
  const declared = /^sep=(.)\r?\n/.exec(text)?.[1];
  if (declared !== undefined) return declared;
  const cut = text.length > SAMPLE_CHARACTERS ? text.lastIndexOf('\n', SAMPLE_CHARACTERS) : -1;
  const sample = text.slice(0, cut > 0 ? cut : SAMPLE_CHARACTERS);
  let best: string | undefined;
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const widths = [...parseCsv(sample, delimiter)]
      .slice(0, SAMPLE_ROWS)
      .map(({ length }) => length);
    const usual = mostFrequent(widths);
    const same = widths.filter((width) => width === usual).length / (widths.length || 1);
    const score = usual < 2 ? 0 : same * (1 + Math.log2(usual) / 8);
    if (score > most) {
      most = score;
      best = delimiter;
    }
  }
  return most >= 0.5 ? best : undefined;
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([a, x], [b, y]) => y - x || b - a)[0]?.[0] ?? 0;
}
