import type { Dialect } from './parse-pattern.ts';

/** The characters that a class, an escape, a dot or a literal stands for. */
export interface CharSet {
  has(code: number): boolean;
}

const ASCII = 128;
const YES = 1;
const NO = 2;

/**
 * What a character is to a set is asked of the language's own engine, one character at a time and once each: a single character
 * leaves it nothing to backtrack over. `asked` is told of each question.
 */
export function createCharSet(source: string, dialect: Dialect, asked: () => void): CharSet {
  if (source.length === 1 && source !== '.') {
    const only = source.charCodeAt(0);
    return { has: (code) => code === only };
  }
  const expression = new RegExp(`^${source}$`, dialect);
  const ascii = new Uint8Array(ASCII);
  const others = new Map<number, boolean>();
  const ask = (code: number) => {
    asked();
    return expression.test(String.fromCodePoint(code));
  };
  return {
    has(code) {
      if (code < ASCII) {
        if (ascii[code] === 0) ascii[code] = ask(code) ? YES : NO;
        return ascii[code] === YES;
      }
      const known = others.get(code);
      if (known !== undefined) return known;
      const answer = ask(code);
      others.set(code, answer);
      return answer;
    },
  };
}
