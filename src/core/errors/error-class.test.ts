import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { ERROR_CLASSES, ERROR_POLICY } from './error-class.ts';

verifies('errors:closed-list', 'docs/errors.md has one line for each class, in order', () => {
  const documented = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([a-z_]+)` \|/gm)];
  expect(documented.map(([, name]) => name)).toEqual(ERROR_CLASSES);
});

test.each(['rpcCode', 'exit'] as const)('no two classes share a %s', (field) => {
  const values = ERROR_CLASSES.map((name) => ERROR_POLICY[name][field]);
  expect(new Set(values).size).toBe(values.length);
});

test('exit codes are failures that a shell can tell from its own', () => {
  for (const name of ERROR_CLASSES) {
    const { exit } = ERROR_POLICY[name];
    expect({ name, fits: exit === 130 || (exit > 0 && exit < 126) }).toEqual({ name, fits: true });
  }
});

test('what must not be retried with another provider does not fall back', () => {
  expect(ERROR_CLASSES.filter((name) => !ERROR_POLICY[name].fallback)).toEqual([
    'validation',
    'conflict',
    'budget',
    'cancelled',
    'exhausted_fallback_chain',
    'tool_error',
  ]);
});
