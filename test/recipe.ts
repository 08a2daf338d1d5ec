import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One code block of a recipe that names a file: a whole new file, or lines to insert into one. */
interface Step {
  readonly path: string;
  readonly is: 'file' | 'diff';
  readonly lines: readonly string[];
}

/** The code blocks with a file name under a heading of CONTRIBUTING.md, in their order. */
export function readRecipe(markdown: string, heading: string): readonly Step[] {
  const from = markdown.indexOf(`\n### ${heading}\n`);
  if (from < 0) throw new Error(`CONTRIBUTING.md has no heading "${heading}"`);
  const next = markdown.slice(from + 1).search(/\n##/);
  const section = markdown.slice(from, next < 0 ? undefined : from + 1 + next);
  const steps = [...section.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms)].map(
    ([, kind, path = '', text = '']): Step => ({
      path,
      is: kind === 'diff' ? 'diff' : 'file',
      lines: text.replace(/\n$/, '').split('\n'),
    }),
  );
  if (steps.length === 0) throw new Error(`"${heading}" has no code block that names a file`);
  return steps;
}

/** Does in a copy of the tree what the recipe says, and nothing else. */
export function applyRecipe(tree: string, steps: readonly Step[]): void {
  for (const { path, is, lines } of steps) {
    const file = join(tree, path);
    if (is === 'file') {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${lines.join('\n')}\n`, { flag: 'wx' });
    } else {
      writeFileSync(file, insert(readFileSync(file, 'utf8').split('\n'), lines, path).join('\n'));
    }
  }
}

/**
 * Inserted lines stand after the known line above them, or before the one below where there is none
 * above.
 */
function insert(text: readonly string[], hunk: readonly string[], path: string): string[] {
  const result = [...text];
  const isAdded = (line: string | undefined) => line?.startsWith('+') === true;
  let above: number | undefined;
  hunk.forEach((line, index) => {
    if (!isAdded(line)) {
      above = find(result, line.slice(1), path);
      return;
    }
    const below = hunk.slice(index).find((each) => !isAdded(each));
    above = above === undefined ? find(result, (below ?? '').slice(1), path) - 1 : above;
    above += 1;
    result.splice(above, 0, line.slice(1));
  });
  return result;
}

/** A recipe names each line so that there is no other like it. */
function find(text: readonly string[], line: string, path: string): number {
  const at = text.indexOf(line);
  if (at < 0) throw new Error(`${path} has no line "${line}"`);
  if (text.includes(line, at + 1)) throw new Error(`${path} has the line "${line}" twice`);
  return at;
}
