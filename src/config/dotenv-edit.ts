import { ASSIGNMENT, quoteValue } from './dotenv.ts';

// Edits by line, so that whatever else stands in the file, comments and faults included, stays byte for byte.

/** Sets the first of `names` where any of them stood, or at the end, and drops the others. */
export function setVariable(
  text: string,
  names: readonly [string, ...string[]],
  value: string,
): string {
  const assignment = `${names[0]}=${quoteValue(value)}`;
  const lines = splitLines(text);
  const index = lines.findIndex((line) => sets(line, names));
  if (index === -1) {
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    const gap = text === '' || text.endsWith('\n') ? '' : end;
    return `${text}${gap}${assignment}${end}`;
  }
  return lines
    .filter((line, at) => at === index || !sets(line, names))
    .map((line) => (sets(line, names) ? replace(line, assignment) : line))
    .join('');
}

export function removeVariable(text: string, names: readonly string[]): string {
  return splitLines(text)
    .filter((line) => !sets(line, names))
    .join('');
}

/** Each with its own line end. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function sets(line: string, names: readonly string[]): boolean {
  const name = ASSIGNMENT.exec(line)?.[2];
  return name !== undefined && names.includes(name);
}

function replace(line: string, assignment: string): string {
  const before = ASSIGNMENT.exec(line)?.[1] ?? '';
  const end = /\r?\n?$/.exec(line)?.[0] ?? '';
  return `${before}${assignment}${end}`;
}
