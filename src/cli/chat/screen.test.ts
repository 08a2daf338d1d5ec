import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { noColor } from '../format/colors.ts';
import { createChatScreen } from './screen.ts';

const CLEAR = '\r\u001b[K';

function shown(progress: 'live' | 'none', format: 'text' | 'json' = 'text', width?: number) {
  const out: string[] = [];
  const err: string[] = [];
  const clock = createFakeClock();
  const screen = createChatScreen({
    io: {
      stdout: { write: (text) => void out.push(text) },
      stderr: { write: (text) => void err.push(text) },
      env: { NO_COLOR: '1' },
      paint: noColor,
      charset: 'ascii',
      progress,
      ...(width !== undefined && { width }),
    },
    clock,
    format,
    columns: () => width ?? 30,
  });
  return { screen, clock, out, err };
}

test('while something is waited for a line moves, and makes way for what is shown', async () => {
  const { screen, clock, out, err } = shown('live');
  screen.startSpinner('asking');
  clock.advance(100);
  await clock.untilWaiting();
  clock.advance(3_000);
  screen.startSpinner('a note that is far longer than the terminal is wide');
  clock.advance(100);
  await clock.untilWaiting();
  screen.createAnswerWriter('raw').add('Hello');
  clock.advance(1_000);
  expect(clock.waiting).toBe(0);
  expect(err.slice(0, 2)).toEqual([`${CLEAR}| asking`, `${CLEAR}/ asking`]);
  expect(err.at(-1)).toBe(CLEAR);
  expect(err.every((text) => text.length <= 30 + CLEAR.length)).toBe(true);
  expect(out).toEqual(['Hello']);
});

test('in a pipe nothing moves', () => {
  const { screen, clock, err } = shown('none');
  screen.startSpinner('asking');
  screen.stopSpinner();
  expect([clock.waiting, err]).toEqual([0, []]);
});

test('where envelopes go out, everything else goes beside them', () => {
  const { screen, out, err } = shown('none', 'json');
  screen.print('words');
  screen.note('a \u001b[2Jnote');
  screen.showError('a fault');
  expect([out, err]).toEqual([[], ['words\n', 'a \\u{1b}[2Jnote\n', 'exai: a fault\n']]);
});

test('our own sentences are wrapped at words, at 80 columns or fewer', () => {
  const long = `${'word '.repeat(20)}end`;
  const wide = shown('none', 'text', 100);
  wide.screen.showError(long);
  expect(wide.err[0]?.split('\n').map((line) => line.length)).toEqual([80, 28, 0]);
  const narrow = shown('none', 'text', 40);
  narrow.screen.note(long);
  expect(narrow.err[0]?.split('\n').map((line) => line.length)).toEqual([39, 39, 23, 0]);
});
