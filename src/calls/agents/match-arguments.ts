import { matchesWildcard } from '#core/text/wildcard.ts';

type Args = Readonly<Record<string, unknown>>;

/** Values below this depth are not looked at; a row that permits then matches nothing. */
const MAX_DEPTH = 16;
const MAX_VALUES = 1_000;

/**
 * Whether the arguments of a call match the patterns of a row. Where several values stand at a path,
 * such as in a list, `all` wants each of them to match, and `any` one of them.
 */
export function matchesArguments(
  patterns: readonly (readonly [path: string, pattern: string])[],
  args: Args,
  how: 'all' | 'any',
): boolean {
  return patterns.every(([path, pattern]) => {
    const { values, gaps, isCut } = valuesAt(args, path.split('.'));
    if (how === 'all') {
      const isComplete = !isCut && gaps === 0 && values.length > 0;
      return isComplete && values.every((each) => matchesWildcard(each, pattern));
    }
    const folded = pattern.toLowerCase();
    // What was not looked at may match.
    return isCut || values.some((value) => matchesWildcard(value.toLowerCase(), folded));
  });
}

interface Values {
  readonly values: string[];
  /** Objects and values where the path does not continue. */
  gaps: number;
  /** Whether there were too many values, or too deep ones, to look at all. */
  isCut: boolean;
}

function valuesAt(args: Args, path: readonly string[]): Values {
  const found: Values = { values: [], gaps: 0, isCut: false };
  follow(args, path, found, 0);
  return found;
}

function follow(value: unknown, path: readonly string[], found: Values, depth: number): void {
  if (found.values.length >= MAX_VALUES || depth > MAX_DEPTH) {
    found.isCut = true;
    return;
  }
  if (Array.isArray(value)) {
    for (const each of value) follow(each, path, found, depth + 1);
    return;
  }
  const [next, ...rest] = path;
  const isObject = typeof value === 'object' && value !== null;
  if (next === undefined) {
    if (!isObject) found.values.push(`${value as string | number | boolean | null}`);
    else for (const each of Object.values(value)) follow(each, [], found, depth + 1);
  } else if (isObject && Object.hasOwn(value, next)) {
    follow((value as Args)[next], rest, found, depth + 1);
  } else found.gaps += 1;
}
