/** A line that begins with its number and a bar. */
const NUMBER = /^(\d{1,9})\| ?/;
const NUMBERS = /^\d{1,9}\| ?/gm;

/** The lines with their numbers and a bar before them: models cannot count lines. */
export function numberLines(lines: readonly string[], first = 1): string {
  return lines.map((line, at) => `${first + at}| ${line}`).join('\n');
}

/** Whether a text looks as `numberLines` writes it. */
export function hasLineNumbers(text: string): boolean {
  const end = text.indexOf('\n');
  if (end === -1) return NUMBER.test(text);
  const second = text.slice(end + 1, end + 16);
  return NUMBER.test(text.slice(0, 16)) && NUMBER.test(second);
}

/** The lines without their numbers. A line of another form stays. */
export function withoutLineNumbers(text: string): string {
  return text.replaceAll(NUMBERS, '');
}

/** The number of the line at a position of `withoutLineNumbers(numbered)`. */
export function lineNumberAt(numbered: string, position: number): number | undefined {
  let from = 0;
  let left = position;
  for (;;) {
    const newline = numbered.indexOf('\n', from);
    const end = newline === -1 ? numbered.length : newline;
    const [prefix = '', number] = NUMBER.exec(numbered.slice(from, from + 16)) ?? [];
    left -= end - from - prefix.length + 1;
    if (left < 0) return number === undefined ? undefined : Number(number);
    if (newline === -1) return undefined;
    from = newline + 1;
  }
}
