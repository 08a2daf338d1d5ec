/** How much backtracking a pattern may cost in the worst case before it is left unchecked. */
const MAX_WORK = 10_000_000;
const MAX_PATTERN_CHARS = 256;
const MAX_REPEATS = 1_000;

/** The engine keeps a place on its stack for what it may have to go back to. */
const MAX_TEXT_CHARS = 100_000;
/** Of a match, what costs about as much as a look at a small schema. */
const STEP_WORK = 500;

export type Match = 'yes' | 'no' | 'unchecked';

/** Patterns of one schema, each read once. */
export interface Patterns {
  /** The answer, and what it cost in steps at most. */
  match(text: string, pattern: string): { readonly is: Match; readonly steps: number };
}

export function createPatterns(): Patterns {
  const compiled = new Map<string, RegExp | undefined>();
  return {
    match(text, pattern) {
      // Reading a pattern for what it may cost is work, too.
      const reading = 1 + Math.min(pattern.length, MAX_PATTERN_CHARS) / 16;
      if (text.length > MAX_TEXT_CHARS) return { is: 'unchecked', steps: 1 };
      const work = worstWork(pattern, text.length);
      if (work > MAX_WORK) return { is: 'unchecked', steps: reading };
      if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
      const steps = reading + work / STEP_WORK;
      return { is: tested(compiled.get(pattern), text), steps };
    },
  };
}

/**
 * Whether a text matches a pattern of a schema; `unchecked` when the pattern is none or could take too long. Both the pattern and the
 * text come from outside, and one that loops within a loop can keep a process busy for years.
 */
export function matchesPattern(text: string, pattern: string): Match {
  return createPatterns().match(text, pattern).is;
}

function tested(expression: RegExp | undefined, text: string): Match {
  if (!expression) return 'unchecked';
  try {
    return expression.test(text) ? 'yes' : 'no';
  } catch {
    // The engine ran out of stack.
    return 'unchecked';
  }
}

function compile(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Written for another dialect of patterns; without `u` more of them are understood.
    }
  }
  return undefined;
}

/** An upper bound for the steps of a match: what loops beside each other multiplies; a loop around a choice is out of bounds. */
function worstWork(pattern: string, textLength: number): number {
  if (pattern.length > MAX_PATTERN_CHARS) return Infinity;
  const length = textLength + 1;
  let work = /^\^[^|]*$/.test(pattern) ? 1 : length;
  const groups: Group[] = [newGroup()];
  let closed: Group | undefined;
  for (let at = 0; at < pattern.length; at += 1) {
    const before = closed;
    const group = groups.at(-1) ?? newGroup();
    closed = undefined;
    const char = pattern[at];
    if (char === '\\') {
      if (/[1-9k]/.test(pattern[at + 1] ?? '')) return Infinity;
      at += 1;
    } else if (char === '[') {
      at = endOfClass(pattern, at);
    } else if (char === '(') {
      if (/^\(\?(?:<?[=!])/.test(pattern.slice(at, at + 4))) return Infinity;
      groups.push(newGroup());
      if (pattern[at + 1] === '?') at += 1;
    } else if (char === ')') {
      closed = groups.pop();
      const outer = groups.at(-1);
      if (outer && closed && isChoice(closed)) outer.hasChoice = true;
      work *= closed?.branches ?? 1;
    } else if (char === '|') {
      group.branches += 1;
    } else {
      const ways = waysOf(pattern.slice(at), length);
      if (!ways) continue;
      if (before && isChoice(before) && ways.most > 1) return Infinity;
      if (ways.choices > 1) group.hasChoice = true;
      work *= ways.choices;
      at += ways.chars - 1;
    }
  }
  return work * (groups[0]?.branches ?? 1);
}

interface Group {
  branches: number;
  /** Whether a quantifier in it may settle on different counts. */
  hasChoice: boolean;
}

function newGroup(): Group {
  return { branches: 1, hasChoice: false };
}

/** A quantifier after a group that can match in one way only is like one after a letter. */
function isChoice({ branches, hasChoice }: Group): boolean {
  return branches > 1 || hasChoice;
}

interface Ways {
  readonly chars: number;
  /** How many different counts it may settle on. */
  readonly choices: number;
  readonly most: number;
}

/** The quantifier that a rest of a pattern begins with. */
function waysOf(rest: string, length: number): Ways | undefined {
  if (rest.startsWith('*') || rest.startsWith('+'))
    return { chars: lazy(rest, 1), choices: length, most: Infinity };
  if (rest.startsWith('?')) return { chars: lazy(rest, 1), choices: 2, most: 1 };
  const range = /^\{(\d{1,9})(,(\d{1,9})?)?\}/.exec(rest);
  if (!range) return undefined;
  const [all, from = '0', comma, to] = range;
  const least = Number(from);
  const most = comma === undefined ? least : to === undefined ? Infinity : Number(to);
  if (least > MAX_REPEATS || (most > MAX_REPEATS && most !== Infinity))
    return { chars: all.length, choices: Infinity, most };
  const choices = most === Infinity ? length : Math.max(1, most - least + 1);
  return { chars: lazy(rest, all.length), choices, most };
}

function lazy(rest: string, chars: number): number {
  return rest[chars] === '?' ? chars + 1 : chars;
}

function endOfClass(pattern: string, from: number): number {
  for (let at = from + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
