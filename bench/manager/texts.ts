const LINE = 'The keeper of the lighthouse wrote down what he saw at 4:15, and went to sleep.\n';

/** So many characters of prose, flat as a text that came from a parser is. */
export function proseOf(chars: number): string {
  return Buffer.from(LINE.repeat(Math.ceil(chars / LINE.length)).slice(0, chars)).toString();
}
