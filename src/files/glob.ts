import { MAX_PATH_CHARS } from './limits.ts';

/** A pattern, split at the first segment that names more than one thing. */
export interface PathPattern {
  /** The folder where the search begins, as written; `.` if the pattern begins with a wildcard. */
  readonly base: string;
  /** Whether a path below the base, with slashes, matches. */
  matches(path: string): boolean;
}

const WILD = /[*?]|\{[^{}]*,[^{}]*\}/;
const MAX_ALTERNATIVES = 64;

/**
 * Parses a path with `*` (any characters of a name), `**` (any folders), `?` (one character) or
 * `{a,b}`; undefined for any other path.
 */
export function parsePathPattern(given: string): PathPattern | undefined {
  if (given.length > MAX_PATH_CHARS || !WILD.test(given)) return undefined;
  const segments = given.split('/');
  const first = segments.findIndex((segment) => WILD.test(segment));
  const base = segments.slice(0, first).join('/');
  const rest = segments.slice(first).join('/');
  const patterns = alternatives(rest).map(toSegments);
  const fromTop = given.startsWith('/') ? '/' : '.';
  return {
    base: base === '' ? fromTop : base,
    matches(path) {
      const names = path.split('/');
      return patterns.some((pattern) => matchSegments(names, pattern));
    },
  };
}

/** `a.{b,c}` as `a.b` and `a.c`. */
function alternatives(pattern: string): readonly string[] {
  const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || inner === undefined) return [pattern];
  const at = pattern.indexOf(whole);
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + whole.length)];
  const all: string[] = [];
  for (const choice of inner.split(',')) {
    for (const each of alternatives(`${before}${choice}${after}`)) {
      if (all.length < MAX_ALTERNATIVES) all.push(each);
    }
  }
  return all;
}

function toSegments(pattern: string): readonly string[] {
  return (
    pattern
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      // Two in a row match the same as one.
      .filter((segment, at, all) => segment !== '**' || all[at + 1] !== '**')
  );
}

/** Each pair of positions is visited once, so that the time is bounded. */
function matchSegments(names: readonly string[], segments: readonly string[]): boolean {
  let open = new Set([0]);
  for (const segment of segments) {
    const next = new Set<number>();
    for (const at of open) {
      if (segment === '**') for (let to = at; to <= names.length; to++) next.add(to);
      else if (at < names.length && matchName(names[at] ?? '', segment)) next.add(at + 1);
    }
    open = next;
  }
  return open.has(names.length);
}

function matchName(name: string, pattern: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    if (
      place < pattern.length &&
      pattern[place] !== '*' &&
      (pattern[place] === '?' || pattern[place] === name[at])
    ) {
      at += 1;
      place += 1;
    } else if (pattern[place] === '*') {
      star = place;
      resume = at;
      place += 1;
    } else if (star !== -1) {
      place = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(place));
}
