import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homePaths } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { isStartRefusal } from '#transport/shim/start-refusal.ts';
import { claimHome } from './single-instance.ts';
import { isHomeTaken, startReason } from './start-process-reason.ts';
import { systemClock } from './system.ts';

test('the last words of a daemon and its exit code say why it did not start', () => {
  const said = 'exai: A notice.\nexai: Port 80 is taken.\n  fix: Choose another.\n';
  const reason = startReason(7, said, '/logs/x');
  expect(reason).toMatchObject({
    class: 'conflict',
    message: 'Port 80 is taken.',
    fix: 'Choose another.',
  });
  expect([isStartRefusal(reason), isHomeTaken(reason)]).toEqual([true, false]);
});

test('one that said nothing is told by its code and its log', () => {
  expect(startReason(99, 'at x (y.js:1)\n', '/logs/x')).toMatchObject({
    class: 'internal',
    message: 'The daemon ended with code 99 before it was ready.',
    fix: 'See /logs/x.',
  });
});

test.each([null, 21])('one that was stopped (%s) is worth another try', (exit) => {
  const reason = startReason(exit, 'listening on http://127.0.0.1:1\n', '/logs/x');
  expect([reason.class, isStartRefusal(reason)]).toEqual(['interrupted', false]);
});

test('what a daemon says of a home that another one holds is known as that', async () => {
  const root = mkdtempSync(join(tmpdir(), 'exai-taken-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = homePaths({ EXAI_HOME: root });
  const claim = await claimHome(home, systemClock);
  onTestFinished(() => claim.release());
  const { message, policy } = await claimHome(home, systemClock).then(
    () => new CallError('internal', 'It has two.'),
    (thrown: unknown) => CallError.from(thrown),
  );
  expect(isHomeTaken(startReason(policy.exit, `exai: ${message}\n`, '/logs/x'))).toBe(true);
});
