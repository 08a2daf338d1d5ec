import { createCharSet, type CharSet } from './char-set.ts';
import { compilePattern, type CompiledPattern } from './compile-pattern.ts';
import { parsePattern, UnsupportedPattern, type Dialect } from './parse-pattern.ts';
import { runPattern } from './run-pattern.ts';

const MAX_PATTERN_CHARS = 1_000;
/** Instructions of its automaton: counted loops are written out. */
const MAX_SIZE = 5_000;
/** Of one match, in instructions visited. */
const MAX_WORK = 500_000;

/** Visits of an instruction that cost about as much as a look at a small schema. */
const VISITS_PER_STEP = 12;
/** A question about a character to the engine of the language, in visits. */
const QUESTION_VISITS = 20;
const MATCH_STEPS = 3;
const NEW_PATTERN_STEPS = 20;
/** A set of characters is an expression of the language's engine, and may be one of Unicode's larger classes. */
const NEW_SET_STEPS = 300;
/** The engine builds the sets of these while it reads a pattern, which takes far longer than their length tells. */
const UNICODE_PROPERTY = /\\p/gi;
const MAX_UNICODE_PROPERTIES = 8;
const UNICODE_PROPERTY_STEPS = 10_000;

export type Match =
  | { readonly is: 'yes' | 'no' }
  /** It goes on from "the pattern": `is no regular expression`. */
  | { readonly is: 'unchecked'; readonly because: string };

/** Patterns of one schema, each read once. */
export interface Patterns {
  /** The answer, and what it cost in steps. */
  match(text: string, pattern: string): { readonly match: Match; readonly steps: number };
}

type Read =
  | { readonly is: 'unchecked'; readonly because: string }
  | {
      readonly is: 'read';
      readonly dialect: Dialect;
      readonly compiled: CompiledPattern;
      readonly sets: readonly CharSet[];
    };

const TOO_LARGE = { is: 'unchecked', because: 'is too large' } as const;
const TOO_MANY_PROPERTIES = {
  is: 'unchecked',
  because: `has more than ${MAX_UNICODE_PROPERTIES} Unicode properties`,
} as const;
const TOO_COSTLY = {
  is: 'unchecked',
  because: 'takes too long for a text of that length',
} as const;

/**
 * Pattern and text both come from outside, so no pattern is run by the language's own engine, which may backtrack for years: an
 * automaton matches in linear time, and its visits are counted against a limit.
 */
export function createPatterns(): Patterns {
  const known = new Map<string, Read>();
  const sets = new Map<string, CharSet>();
  const work = { left: 0 };
  const asked = () => (work.left -= QUESTION_VISITS);

  function setOf(source: string, dialect: Dialect): CharSet {
    const key = dialect + source;
    const set = sets.get(key) ?? createCharSet(source, dialect, asked);
    sets.set(key, set);
    return set;
  }

  function read(pattern: string): Read {
    if (pattern.length > MAX_PATTERN_CHARS) return TOO_LARGE;
    if (propertiesIn(pattern) > MAX_UNICODE_PROPERTIES) return TOO_MANY_PROPERTIES;
    const dialect = (['u', ''] as const).find((each) => isPattern(pattern, each));
    if (dialect === undefined) return { is: 'unchecked', because: 'is no regular expression' };
    try {
      const compiled = compilePattern(parsePattern(pattern, dialect), MAX_SIZE);
      if (!compiled) return TOO_LARGE;
      const own = compiled.sets.map((source) => setOf(source, dialect));
      return { is: 'read', dialect, compiled, sets: own };
    } catch (thrown) {
      if (thrown instanceof UnsupportedPattern) return { is: 'unchecked', because: thrown.message };
      throw thrown;
    }
  }

  return {
    match(text, pattern) {
      let steps = MATCH_STEPS;
      let found = known.get(pattern);
      if (!found) {
        const before = sets.size;
        found = read(pattern);
        known.set(pattern, found);
        steps += NEW_PATTERN_STEPS + Math.min(pattern.length, MAX_PATTERN_CHARS);
        if (found !== TOO_LARGE && found !== TOO_MANY_PROPERTIES) {
          steps += propertiesIn(pattern) * UNICODE_PROPERTY_STEPS;
        }
        if (found.is === 'read')
          steps += found.compiled.size + (sets.size - before) * NEW_SET_STEPS;
      }
      if (found.is === 'unchecked') return { match: found, steps };
      if (text.length > MAX_WORK) return { match: TOO_COSTLY, steps };
      work.left = MAX_WORK;
      const { dialect, compiled, sets: own } = found;
      const isFound = runPattern(compiled, own, codesOf(text, dialect), work);
      steps += (MAX_WORK - work.left + text.length) / VISITS_PER_STEP;
      return { match: work.left < 0 ? TOO_COSTLY : { is: isFound ? 'yes' : 'no' }, steps };
    },
  };
}

function propertiesIn(pattern: string): number {
  return pattern.match(UNICODE_PROPERTY)?.length ?? 0;
}

/** The expression is read by the engine of the language, and never run. */
function isPattern(pattern: string, dialect: Dialect): boolean {
  try {
    void new RegExp(pattern, dialect);
    return true;
  } catch {
    // Many patterns are written for another dialect; without `u` more of them are understood.
    return false;
  }
}

function codesOf(text: string, dialect: Dialect): Uint16Array | Uint32Array {
  const codes = dialect === 'u' ? new Uint32Array(text.length) : new Uint16Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = (dialect === 'u' ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0;
    codes[count++] = code;
    if (code > 0xff_ff) at += 1;
  }
  return codes.subarray(0, count);
}
