import ignore, { type Ignore } from 'ignore';

/**
 * The rules of .gitignore files from a top folder downwards, as git reads them. Paths are relative
 * to that folder, with slashes; a path is checked after its parents, and only if none of them is
 * ignored.
 */
export interface IgnoreRules {
  /** Adds the lines of the .gitignore of a folder below the top, or of the top (`''`). */
  with(folder: string, lines: readonly string[]): IgnoreRules;
  ignores(path: string, is: 'file' | 'folder'): boolean;
  /**
   * An upper bound on the steps of `ignores`, up to a constant: for each rule the characters of the
   * path times those of the pattern, times the depth of the path for each `**` of the pattern. It
   * is known before matching, so that a caller can refuse a path.
   */
  steps(path: string): number;
}

/** Longer lines cannot be applied; the folder that has one is left out. */
export const MAX_PATTERN_CHARS = 4_096;
/** The default of `git init` on these systems. */
const IGNORE_CASE = process.platform === 'darwin' || process.platform === 'win32';

export const NO_IGNORE_RULES: IgnoreRules = rulesOf(undefined, []);

/** `charsByGlobstars`: total characters of the patterns with so many `**`. */
function rulesOf(matcher: Ignore | undefined, charsByGlobstars: readonly number[]): IgnoreRules {
  return {
    with(folder, lines) {
      const chars = [...charsByGlobstars];
      const rules: Ignore[] = [];
      for (const line of lines) {
        const pattern = fromTop(folder, line.replace(/\r$/, ''));
        const rule = pattern === undefined ? undefined : ruleOf(pattern);
        if (pattern === undefined || rule === undefined) continue;
        rules.push(rule);
        const globstars = pattern.split('**').length - 1;
        for (let at = chars.length; at <= globstars; at++) chars.push(0);
        chars[globstars] = (chars[globstars] ?? 0) + pattern.length;
      }
      // The last matching rule decides, so those of deeper folders come last.
      return rulesOf(emptyMatcher().add([...(matcher ? [matcher] : []), ...rules]), chars);
    },
    ignores: (path, is) => matcher?.ignores(is === 'folder' ? `${path}/` : path) ?? false,
    steps(path) {
      const depth = path.split('/').length;
      return charsByGlobstars.reduce(
        (sum, chars, globstars) => sum + path.length * chars * depth ** globstars,
        0,
      );
    },
  };
}

/** A line of a folder's .gitignore as a pattern from the top; undefined if it is not a rule. */
function fromTop(folder: string, line: string): string | undefined {
  if (line === '' || line.startsWith('#') || line.length > MAX_PATTERN_CHARS) return undefined;
  if (folder === '') return line;
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const bare = pattern.replace(/ +$/, '').replace(/\/$/, '');
  if (bare === '') return undefined;
  const base = folder.replaceAll(/[\\*?[]/g, String.raw`\$&`);
  // A pattern with a slash is a path from the folder; one without is a name anywhere below it.
  const rest = bare.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return `${isNegated ? '!' : ''}/${base}/${rest}`;
}

/** The matcher of one pattern; undefined if the package builds an invalid expression. */
function ruleOf(pattern: string): Ignore | undefined {
  try {
    const rule = emptyMatcher().add([pattern]);
    // The expression is built on first use.
    rule.ignores('a');
    return rule;
  } catch {
    return undefined;
  }
}

function emptyMatcher(): Ignore {
  return ignore({ ignorecase: IGNORE_CASE });
}
