import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from '../requirements.ts';

/**
 * The promises that a file cites. Only a call that begins its line counts: one in a comment proves
 * nothing.
 */
function citations(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return [...code.matchAll(/^[ \t]*verifies\(\s*'([^']+)'/gm)].map(([, id = '']) => id);
}

/** Tests that are written and do not run, or that keep the others from running. */
function idleTests(source: string): string[] {
  const names = /\b(?:test|it|describe|suite|verifies)(?:\.\w+)*\.(?:skip|only|todo|fails)\b/g;
  return [...source.matchAll(names)].map(([found]) => found);
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.ts') && existsSync(path))
  .map((path) => ({ path, source: readFileSync(path, 'utf8') }));

test('every promise is cited by a test', () => {
  const cited = new Set(files.flatMap(({ source }) => citations(source)));
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
});

test('no test is skipped, left to do, expected to fail, or run alone', () => {
  const found = files.flatMap(({ path, source }) =>
    idleTests(source).map((at) => `${path}: ${at}`),
  );
  expect(found).toEqual([]);
});

test('a proof that is commented out proves nothing', () => {
  const lines = [
    "verifies('a', 'on one line', () => {});",
    "  verifies(\n    'b',\n    'on several', () => {});",
    "// verifies('c', 'off', () => {});",
    "/*\nverifies('d', 'off', () => {});\n*/",
    "  /** As in verifies('e', …). */",
    " * verifies('f', 'off', () => {});",
    "const glob = 'src/**'; // verifies('g')",
    "verifies('h', 'after all of it', () => {});",
  ];
  expect(citations(lines.join('\n'))).toEqual(['a', 'b', 'h']);
});

test.each(['skip', 'only', 'todo', 'fails', 'concurrent.skip'])(
  '%s is seen for what it is',
  (how) => {
    expect(idleTests(['test', `${how}('a sentence')`].join('.'))).toEqual([`test.${how}`]);
  },
);
