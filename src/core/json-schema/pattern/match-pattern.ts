import {
  createCharSet,
  parsePattern,
  UnsupportedPattern,
  type CharSet,
  type Edge,
  type PatternDialect,
} from './parse-pattern.ts';
import {
  ACCEPT,
  CHAR,
  compilePattern,
  SPLIT_OP,
  WIDTH,
  type CompiledPattern,
  type PatternProgram,
} from './compile-pattern.ts';

const MAX_PATTERN_CHARS = 1_000;
/** Maximum instructions of an automaton; counted loops are unrolled. */
const MAX_SIZE = 5_000;
/** Maximum cost of one match, in visited instructions. */
const MAX_WORK = 500_000;

/** Instruction visits that cost about as much as checking a small schema. */
const VISITS_PER_STEP = 12;
/** Cost of testing a character with JavaScript's engine, in visits. */
const QUESTION_VISITS = 20;
const MATCH_STEPS = 3;
const NEW_PATTERN_STEPS = 20;
/** Cost of a character set, which is a JavaScript expression and may be a large Unicode class. */
const NEW_SET_STEPS = 300;
/**
 * JavaScript's engine expands these while parsing, which takes far longer than their length
 * suggests.
 */
const UNICODE_PROPERTY = /\\p/gi;
const MAX_UNICODE_PROPERTIES = 8;
const UNICODE_PROPERTY_STEPS = 10_000;

export type Match =
  | { readonly is: 'yes' | 'no' }
  /** Completes "the pattern …": `is not a regular expression`. */
  | { readonly is: 'unchecked'; readonly because: string };

/** The patterns of one schema, each compiled once. */
export interface Patterns {
  /** The result and its cost in steps. */
  match(text: string, pattern: string): { readonly match: Match; readonly steps: number };
}

type Read =
  | { readonly is: 'unchecked'; readonly because: string }
  | {
      readonly is: 'read';
      readonly dialect: PatternDialect;
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
 * Pattern and text are both untrusted, so no pattern is run by JavaScript's engine, which may
 * backtrack endlessly: an automaton matches in linear time, and its visits are counted against a
 * limit.
 */
export function createPatterns(): Patterns {
  const known = new Map<string, Read>();
  const sets = new Map<string, CharSet>();
  const work = { left: 0 };
  const asked = () => (work.left -= QUESTION_VISITS);

  function setOf(source: string, dialect: PatternDialect): CharSet {
    const key = dialect + source;
    const set = sets.get(key) ?? createCharSet(source, dialect, asked);
    sets.set(key, set);
    return set;
  }

  function read(pattern: string): Read {
    if (pattern.length > MAX_PATTERN_CHARS) return TOO_LARGE;
    if (propertiesIn(pattern) > MAX_UNICODE_PROPERTIES) return TOO_MANY_PROPERTIES;
    const dialect = (['u', ''] as const).find((each) => isPattern(pattern, each));
    if (dialect === undefined) return { is: 'unchecked', because: 'is not a regular expression' };
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

/** JavaScript's engine parses the expression but never runs it. */
function isPattern(pattern: string, dialect: PatternDialect): boolean {
  try {
    void new RegExp(pattern, dialect);
    return true;
  } catch {
    // Many patterns are written for another dialect; without `u` more of them are valid.
    return false;
  }
}

function codesOf(text: string, dialect: PatternDialect): Uint16Array | Uint32Array {
  const codes = dialect === 'u' ? new Uint32Array(text.length) : new Uint16Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = (dialect === 'u' ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0;
    codes[count++] = code;
    if (code > 0xff_ff) at += 1;
  }
  return codes.subarray(0, count);
}

/** Remaining instruction visits; below zero the result of a run is invalid. */
interface PatternWork {
  left: number;
}

type Text = Uint16Array | Uint32Array;
type Holds = (at: number) => boolean;

/** Memory cost of a lookaround, even if its program visits nothing. */
const LOOK_CHARS_PER_VISIT = 8;

/**
 * Whether a pattern matches anywhere in a text. All alternatives are followed in parallel, each
 * instruction at most once per position, so the work is at most the size of the pattern times the
 * length of the text.
 */
function runPattern(
  { main, conditions }: CompiledPattern,
  sets: readonly CharSet[],
  text: Text,
  work: PatternWork,
): boolean {
  const holding: Holds[] = [];
  for (const condition of conditions) {
    if (condition.is === 'edge') {
      holding.push((at) => isEdge(condition.of, text, at));
      continue;
    }
    const accepts = new Uint8Array(text.length + 1);
    work.left -= text.length / LOOK_CHARS_PER_VISIT;
    const mark = (at: number) => {
      accepts[at] = 1;
      return 'continue' as const;
    };
    follow(condition.program, sets, holding, text, work, mark);
    if (work.left < 0) return false;
    const wanted = condition.expects === 'match' ? 1 : 0;
    holding.push((at) => accepts[at] === wanted);
  }
  let isFound = false;
  follow(main, sets, holding, text, work, () => {
    isFound = true;
    return 'stop';
  });
  return isFound;
}

/** Reports the positions at which a program, started at every earlier position, accepts. */
function follow(
  { code, start, direction, begins }: PatternProgram,
  sets: readonly CharSet[],
  holding: readonly Holds[],
  text: Text,
  work: PatternWork,
  onAccept: (at: number) => 'stop' | 'continue',
): void {
  const instructions = code.length / WIDTH;
  /** Position, from 1, at which an instruction was last visited. */
  const visited = new Int32Array(instructions);
  const waiting = new Int32Array(instructions + 1);
  const reading = new Int32Array(instructions);
  const stack = new Int32Array(instructions * 2 + 2);
  let waits = 0;

  for (let step = 0; step <= text.length; step += 1) {
    const at = direction === 'forth' ? step : text.length - step;
    if (step === 0 || begins === 'anywhere') waiting[waits++] = start;
    else if (waits === 0) return;
    let reads = 0;
    let isAccepted = false;
    for (let index = 0; index < waits; index += 1) {
      let depth = 0;
      stack[depth++] = waiting[index] ?? 0;
      while (depth > 0) {
        const here = stack[--depth] ?? 0;
        const number = here / WIDTH;
        if (visited[number] === step + 1) continue;
        visited[number] = step + 1;
        work.left -= 1;
        const first = code[here + 1] ?? 0;
        const second = code[here + 2] ?? 0;
        const op = code[here];
        if (op === CHAR) {
          reading[reads++] = here;
        } else if (op === SPLIT_OP) {
          stack[depth++] = second;
          stack[depth++] = first;
        } else if (op === ACCEPT) {
          isAccepted = true;
        } else if (holding[first]?.(at)) {
          stack[depth++] = second;
        }
      }
    }
    if (work.left < 0) return;
    if (isAccepted && onAccept(at) === 'stop') return;
    if (step === text.length) return;
    const char = text[direction === 'forth' ? at : at - 1] ?? 0;
    waits = 0;
    for (let index = 0; index < reads; index += 1) {
      const here = reading[index] ?? 0;
      if (sets[code[here + 1] ?? 0]?.has(char)) waiting[waits++] = code[here + 2] ?? 0;
    }
  }
}

function isEdge(edge: Edge, text: Text, at: number): boolean {
  switch (edge) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'word':
      return isWord(text[at - 1]) !== isWord(text[at]);
    case 'no word':
      return isWord(text[at - 1]) === isWord(text[at]);
  }
}

const WORD_CHARS = new Set(
  Array.from({ length: 128 }, (_, code) => code).filter((code) =>
    /\w/.test(String.fromCharCode(code)),
  ),
);

function isWord(code: number | undefined): boolean {
  return code !== undefined && WORD_CHARS.has(code);
}
