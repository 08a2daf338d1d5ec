import ignore, { type Ignore } from 'ignore';

/**
 * The rules of .gitignore files from a top folder downwards, as git reads them. Paths are from that
 * folder, with slashes; a path is judged after the folders above it, and only where none of them is
 * ignored.
 */
export interface IgnoreRules {
  /** These, and the lines of the .gitignore of a folder below the top, or of the top (`''`). */
  with(folder: string, lines: readonly string[]): IgnoreRules;
  ignores(path: string, is: 'file' | 'folder'): boolean;
  /**
   * A bound on the steps that `ignores` takes, up to a constant: for each rule the characters of
   * the path times those of the pattern, times the depth of the path for each `**` of the pattern.
   * It is known before anything is matched, so that a caller can refuse a path.
   */
  steps(path: string): number;
}

/** Longer lines are not applied: hardly any path is so long. */
const MAX_PATTERN_CHARS = 500;
/** As `git init` sets it there. */
const IGNORE_CASE = process.platform === 'darwin' || process.platform === 'win32';

export const NO_IGNORE_RULES: IgnoreRules = rulesOf(undefined, []);

/** `charsByGlobstars`: how many characters the patterns with so many `**` have. */
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
      // The last rule that matches decides: those of deeper folders come last.
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

/** A line of a folder's .gitignore as a pattern from the top; nothing where it is no rule. */
function fromTop(folder: string, line: string): string | undefined {
  if (line === '' || line.startsWith('#') || line.length > MAX_PATTERN_CHARS) return undefined;
  if (folder === '') return line;
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const bare = pattern.replace(/ +$/, '').replace(/\/$/, '');
  if (bare === '') return undefined;
  const base = folder.replaceAll(/[\\*?[]/g, String.raw`\$&`);
  // One with a slash stands for a path from the folder; one without for a name anywhere below it.
  const rest = bare.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return `${isNegated ? '!' : ''}/${base}/${rest}`;
}

/** The matcher of one pattern; nothing where the package makes an invalid expression of it. */
function ruleOf(pattern: string): Ignore | undefined {
  try {
    const rule = emptyMatcher().add([pattern]);
    // The expression is made with the first use.
    rule.ignores('a');
    return rule;
  } catch {
    return undefined;
  }
}

function emptyMatcher(): Ignore {
  return ignore({ ignorecase: IGNORE_CASE });
}
