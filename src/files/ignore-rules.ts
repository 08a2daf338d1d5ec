/** Whether a path below a folder is ignored by that folder's .gitignore. The path has slashes and no beginning one. */
export type Ignores = (path: string, is: 'file' | 'folder') => boolean;

interface Rule {
  readonly verdict: 'ignored' | 'kept';
  readonly only: 'folders' | 'all';
  /** `path`: from the top; `name`: anywhere. */
  readonly matches: 'path' | 'name';
  readonly segments: readonly Segment[];
}

/** A name, or what stands before and behind its star. */
type Segment = string | { readonly before: string; readonly behind: string };

const MAX_RULES = 300;
/** Classes, escapes, single characters, and more than one star for one name. */
const NOT_PLAIN = /[[\]\\?]|\*[^/]*\*/;

/**
 * The rules of a .gitignore that are plain: names and paths, each name with a star at most, so that no rule takes long. The others
 * are not applied: rather a file too many than one that is missed.
 */
export function ignoreRules(text: string): Ignores {
  const rules = text
    .split(/\r?\n/, MAX_RULES)
    .map(toRule)
    .filter((rule) => rule !== undefined);
  return (path, is) => {
    const segments = path.split('/');
    const name = segments.slice(-1);
    const last = rules.findLast(
      (rule) =>
        (rule.only === 'all' || is === 'folder') &&
        matchesAll(rule.matches === 'path' ? segments : name, rule.segments),
    );
    return last?.verdict === 'ignored';
  };
}

function toRule(line: string): Rule | undefined {
  const written = line.trimEnd();
  if (written === '' || written.startsWith('#')) return undefined;
  const verdict = written.startsWith('!') ? 'kept' : 'ignored';
  let pattern = verdict === 'kept' ? written.slice(1) : written;
  const isAnywhere = pattern.startsWith('**/');
  if (isAnywhere) pattern = pattern.slice('**/'.length);
  const only = pattern.endsWith('/') ? 'folders' : 'all';
  pattern = pattern.replace(/\/$/, '').replace(/\/\*\*$/, '/*');
  if (pattern === '' || NOT_PLAIN.test(pattern)) return undefined;
  const isPath = pattern.includes('/');
  // Somewhere below, and in a certain folder there: not plain.
  if (isAnywhere && isPath) return undefined;
  const segments = pattern.replace(/^\//, '').split('/').map(toSegment);
  return { verdict, only, matches: isPath ? 'path' : 'name', segments };
}

function matchesAll(segments: readonly string[], patterns: readonly Segment[]): boolean {
  return (
    segments.length === patterns.length &&
    patterns.every((pattern, index) => matchesOne(segments[index] ?? '', pattern))
  );
}

function matchesOne(name: string, pattern: Segment): boolean {
  if (typeof pattern === 'string') return name === pattern;
  const { before, behind } = pattern;
  return (
    name.length >= before.length + behind.length && name.endsWith(behind) && name.startsWith(before)
  );
}

function toSegment(pattern: string): Segment {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern;
  return { before: pattern.slice(0, star), behind: pattern.slice(star + 1) };
}
