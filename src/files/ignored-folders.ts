import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { MAX_PATTERN_CHARS, NO_IGNORE_RULES, type IgnoreRules } from './ignore-rules.ts';
import {
  MAX_IGNORE_BYTES,
  MAX_IGNORE_LINES,
  MAX_STEPS_A_NAME,
  SKIPPED_FOLDERS,
  STEPS_A_RULE_CHAR,
} from './limits.ts';
import { quotePath } from './to-absolute.ts';

/** About two seconds; a person waits for the result. */
const MAX_STEPS = 20_000_000_000;

/** Whether a search leaves out a folder, by its absolute path. */
export type IgnoresFolder = (folder: string) => boolean;

/**
 * Applies the rules that a read of a folder applies: folders that tools generate, and those that
 * .gitignore files exclude. Rules are read once, and only in the folders that are asked for and
 * above them, up to the repository; without a repository, up to `top`. Throws where they cannot be
 * applied.
 */
export function createIgnoredFolders(top: string): IgnoresFolder {
  const repository = findRepository(top);
  const root = repository ?? top;
  const cache = new Map<string, IgnoreRules>();
  let stepsLeft = MAX_STEPS;

  function fromRoot(path: string): string {
    return relative(root, path).replaceAll(sep, '/');
  }

  function spend(steps: number, file: string): void {
    stepsLeft -= steps;
    if (steps > MAX_STEPS_A_NAME || stepsLeft < 0) throw unusableRulesError(file);
  }

  function withRules(rules: IgnoreRules, folder: string, file: string): IgnoreRules {
    const text = readRules(file);
    if (text === undefined) return rules;
    const lines = text.replace(/^\uFEFF/, '').split('\n');
    const isTooMuch =
      lines.length > MAX_IGNORE_LINES || lines.some((line) => line.length > MAX_PATTERN_CHARS);
    if (isTooMuch) throw unusableRulesError(file);
    stepsLeft -= text.length * STEPS_A_RULE_CHAR;
    if (stepsLeft < 0) throw unusableRulesError(file);
    return rules.with(folder, lines);
  }

  /** The rules for the entries of a folder at or below the root. */
  function rulesIn(folder: string): IgnoreRules {
    const known = cache.get(folder);
    if (known) return known;
    const path = fromRoot(folder);
    let above = NO_IGNORE_RULES;
    if (path !== '') above = rulesIn(dirname(folder));
    else if (repository !== undefined) {
      above = withRules(above, '', join(repository, '.git', 'info', 'exclude'));
    }
    const rules = withRules(above, path, join(folder, '.gitignore'));
    cache.set(folder, rules);
    return rules;
  }

  return (folder) => {
    const path = fromRoot(folder);
    const name = path.split('/').at(-1) ?? '';
    if (SKIPPED_FOLDERS.has(name)) return true;
    // A pattern may lead out of the repository, where its rules do not hold.
    if (path === '' || path === '..' || path.startsWith('../')) return false;
    const rules = rulesIn(dirname(folder));
    spend(rules.steps(path), join(dirname(folder), '.gitignore'));
    return rules.ignores(path, 'folder');
  };
}

function findRepository(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The text of a rule file; undefined if there is none. Git does not follow a link here either. */
function readRules(file: string): string | undefined {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    if (found.size > MAX_IGNORE_BYTES) throw unusableRulesError(file);
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw CallError.from(thrown);
  }
}

function unusableRulesError(file: string): CallError {
  return new CallError(
    'too_large',
    `The rules of ${quotePath(file)} are too large to be applied.`,
    {
      fix: 'Name a narrower folder, or the files themselves.',
    },
  );
}
