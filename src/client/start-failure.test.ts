import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import {
  isHomeTaken,
  isStartRefusal,
  readStartOutcome,
  startFailureLine,
} from './start-failure.ts';

const TAKEN = new CallError('conflict', 'Port 80 is taken.', {
  field: 'port',
  fixes: [fix('set_setting', { setting: 'EXAI_PORT' })],
});

test('a daemon says itself why it did not start, whatever else it wrote', () => {
  const written = `exai: A notice.\n{"exai": 7}\n{\n${startFailureLine(TAKEN)}exai: Port 80 is taken.\n`;
  const why = readStartOutcome(7, written, '/logs/x');
  expect(why).toMatchObject({
    class: 'conflict',
    message: 'Port 80 is taken.',
    field: 'port',
    fixes: TAKEN.fixes,
  });
  expect([isStartRefusal(why), isHomeTaken(why)]).toEqual([true, false]);
});

test('of several the last one counts, and one without a fix refers to the log', () => {
  const written = startFailureLine(TAKEN) + startFailureLine(new CallError('budget', 'No.'));
  expect(readStartOutcome(7, written, '/logs/x')).toMatchObject({
    class: 'budget',
    message: 'No.',
    fix: 'See /logs/x.',
  });
});

test('another daemon in the home is known by its code', () => {
  const inUse = codedError('conflict', reason('home_in_use', { home: '/h' }));
  expect(isHomeTaken(readStartOutcome(7, startFailureLine(inUse), '/logs/x'))).toBe(true);
});

test('one without output is described by its exit code and its log', () => {
  expect(readStartOutcome(99, 'at x (y.js:1)\n', '/logs/x')).toMatchObject({
    class: 'internal',
    message: 'The daemon ended with code 99 before it was ready.',
    fix: 'See /logs/x.',
  });
});

test.each([null, 21])('one that was stopped (%s) is worth another try', (exit) => {
  const why = readStartOutcome(exit, 'listening on http://127.0.0.1:1\n', '/logs/x');
  expect([why.class, isStartRefusal(why)]).toEqual(['interrupted', false]);
});
