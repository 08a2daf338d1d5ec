import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { report } from './report.ts';

const DAMAGED = new CallError('internal', 'The database is damaged.', {
  fix: 'exai restore <backup file>',
  cause: new Error('SQLITE_CORRUPT'),
});

test('an error that knows its fix is told in two lines, whatever its class', () => {
  expect(reported(DAMAGED, 'words')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'exai: The database is damaged.\n  fix: exai restore <backup file>\n',
  });
  expect(JSON.parse(reported(DAMAGED, 'json').stdout)).toEqual({ error: DAMAGED.toJSON() });
});

test('a bug is told with its place, and not with a log that does not exist', () => {
  const bug = new TypeError('x is not a function');
  const { code, stderr } = reported(bug, 'words');
  expect(code).toBe(1);
  expect(stderr).toContain(bug.stack);
  expect(stderr).not.toMatch(/\blog\b/);
  const { error } = JSON.parse(reported(bug, 'json').stdout) as { error: { message: string } };
  expect(error.message).not.toMatch(/\blog\b/);
});

function reported(thrown: unknown, format: 'words' | 'json') {
  let [stdout, stderr] = ['', ''];
  const code = report(
    thrown,
    {
      stdout: { write: (text) => void (stdout += text) },
      stderr: { write: (text) => void (stderr += text) },
    },
    format,
  );
  return { code, stdout, stderr };
}
