/** Thrown by the JSON parser alone, and turned into a problem with file, line and column by its caller. */
export class JsonFault extends Error {
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

/** A place in a text that moves forward. */
export interface Scanner {
  readonly text: string;
  at: number;
}

const BLANKS = /[ \t\r\n]*/y;
/** A string up to where its closing quote should be. Anything from the blank on is allowed but `"` and `\`. */
export const OPEN_STRING =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
export const STRING = new RegExp(`${OPEN_STRING.source}"`, 'y');

export function skipBlanks(scanner: Scanner): void {
  match(scanner, BLANKS);
}

/** Moves past `char` if it is next, blanks skipped. */
export function take(scanner: Scanner, char: string): boolean {
  skipBlanks(scanner);
  if (scanner.text[scanner.at] !== char) return false;
  scanner.at += 1;
  return true;
}

/** Moves past what a sticky pattern matches here. */
export function match(scanner: Scanner, pattern: RegExp): string | undefined {
  pattern.lastIndex = scanner.at;
  const found = pattern.exec(scanner.text)?.[0];
  scanner.at += found?.length ?? 0;
  return found;
}
