import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { reportError } from './failure.ts';

const DAMAGED = new CallError('internal', 'The database is damaged.', {
  fix: 'exai restore <backup file>',
  cause: new Error('SQLITE_CORRUPT'),
});

test('an error with a fix is reported in two lines, whatever its class', () => {
  expect(reported(DAMAGED, 'text')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'exai: The database is damaged.\n  fix: exai restore <backup file>\n',
  });
  expect(JSON.parse(reported(DAMAGED, 'json').stdout)).toEqual({ error: DAMAGED.toJSON() });
});

test('a bug is reported with its stack, and not with a log that does not exist', () => {
  const bug = new TypeError('x is not a function');
  const { code, stderr } = reported(bug, 'text');
  expect(code).toBe(1);
  expect(stderr).toContain(bug.stack);
  expect(stderr).not.toMatch(/\blog\b/);
  const { error } = JSON.parse(reported(bug, 'json').stdout) as { error: { message: string } };
  expect(error.message).not.toMatch(/\blog\b/);
});

function reported(thrown: unknown, format: 'text' | 'json') {
  let [stdout, stderr] = ['', ''];
  const code = reportError(
    thrown,
    {
      stdout: { write: (text) => void (stdout += text) },
      stderr: { write: (text) => void (stderr += text) },
    },
    format,
  );
  return { code, stdout, stderr };
}
