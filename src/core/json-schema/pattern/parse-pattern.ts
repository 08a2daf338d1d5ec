/** Syntax tree of a regular expression, without captures, as only matching is tested. */
export type PatternNode =
  /** One character, as the source of a class, an escape, a dot or a literal. */
  | { readonly is: 'char'; readonly source: string }
  | { readonly is: 'edge'; readonly of: Edge }
  | { readonly is: 'row'; readonly parts: readonly PatternNode[] }
  | { readonly is: 'either'; readonly options: readonly PatternNode[] }
  | {
      readonly is: 'repeat';
      readonly of: PatternNode;
      readonly least: number;
      readonly most: number;
    }
  | { readonly is: 'look'; readonly kind: LookKind; readonly of: PatternNode };

export type Edge = 'start' | 'end' | 'word' | 'no word';
export type LookKind = 'ahead' | 'not ahead' | 'behind' | 'not behind';

/** `u` reads code points, the empty one the older dialect of code units. */
export type PatternDialect = 'u' | '';

/** Thrown for what only a backtracking engine can do. */
export class UnsupportedPattern extends Error {}

const LOOKS: readonly (readonly [string, LookKind])[] = [
  ['(?=', 'ahead'],
  ['(?!', 'not ahead'],
  ['(?<=', 'behind'],
  ['(?<!', 'not behind'],
];
const GROUP = /\((?:\?(?::|<[^>=!][^>]*>))?/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
/** Escapes of one character. Unknown escapes match the last alternative: the character itself. */
const ESCAPE: Readonly<Record<PatternDialect, RegExp>> = {
  u: /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])/y,
  '': /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])/y,
};
/**
 * Back-references; and the octal codes and `\c` of the older dialect, whose meaning depends on what
 * else the pattern has.
 */
const UNSUPPORTED_ESCAPE = /\\(?:[1-9k]|0\d|c(?![a-zA-Z]))/y;

/** Parses a pattern that JavaScript's engine accepts in the same dialect; others may be misread. */
export function parsePattern(pattern: string, dialect: PatternDialect): PatternNode {
  let at = 0;

  function taken(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = at;
    const found = expression.exec(pattern);
    if (!found) return undefined;
    at += found[0].length;
    return found;
  }

  function options(): PatternNode {
    const all = [row()];
    while (pattern[at] === '|') {
      at += 1;
      all.push(row());
    }
    return all.length === 1 && all[0] ? all[0] : { is: 'either', options: all };
  }

  function row(): PatternNode {
    const parts: PatternNode[] = [];
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')')
      parts.push(repeated(part()));
    return { is: 'row', parts };
  }

  function repeated(of: PatternNode): PatternNode {
    const found = taken(QUANTIFIER);
    if (!found) return of;
    const [, sign, least = '', comma, most = ''] = found;
    if (sign !== undefined)
      return {
        is: 'repeat',
        of,
        least: sign === '+' ? 1 : 0,
        most: sign === '?' ? 1 : Infinity,
      };
    const from = Number(least);
    const to = comma === undefined ? from : most === '' ? Infinity : Number(most);
    return { is: 'repeat', of, least: from, most: to };
  }

  function part(): PatternNode {
    switch (pattern.charAt(at)) {
      case '(':
        return group();
      case '^':
        return edge('start', 1);
      case '$':
        return edge('end', 1);
      case '[':
        return { is: 'char', source: characterClass() };
      case '\\':
        if (pattern.startsWith('\\b', at)) return edge('word', 2);
        if (pattern.startsWith('\\B', at)) return edge('no word', 2);
        return { is: 'char', source: escape() };
      default:
        return { is: 'char', source: literal() };
    }
  }

  function edge(of: Edge, chars: number): PatternNode {
    at += chars;
    return { is: 'edge', of };
  }

  function group(): PatternNode {
    const [opening, kind] = LOOKS.find(([text]) => pattern.startsWith(text, at)) ?? [];
    if (opening !== undefined) at += opening.length;
    else if (taken(GROUP)?.[0] === '(' && pattern[at] === '?')
      throw new UnsupportedPattern('changes its flags');
    const of = options();
    at += 1;
    return kind === undefined ? of : { is: 'look', kind, of };
  }

  function characterClass(): string {
    const from = at;
    for (at += 1; at < pattern.length && pattern[at] !== ']'; at += 1)
      if (pattern[at] === '\\') at += 1;
    at += 1;
    return pattern.slice(from, at);
  }

  function escape(): string {
    UNSUPPORTED_ESCAPE.lastIndex = at;
    if (UNSUPPORTED_ESCAPE.test(pattern))
      throw new UnsupportedPattern('has a back-reference or an octal escape');
    return taken(ESCAPE[dialect])?.[0] ?? '';
  }

  function literal(): string {
    const code = dialect === 'u' ? pattern.codePointAt(at) : pattern.charCodeAt(at);
    const char = String.fromCodePoint(code ?? 0);
    at += char.length;
    return char;
  }

  return options();
}

/** The characters that a class, an escape, a dot or a literal matches. */
export interface CharSet {
  has(code: number): boolean;
}

const ASCII = 128;
const YES = 1;
const NO = 2;

/**
 * Tests membership with JavaScript's engine, one character at a time and once each; a single
 * character cannot cause backtracking. `asked` is called for each test.
 */
export function createCharSet(source: string, dialect: PatternDialect, asked: () => void): CharSet {
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
