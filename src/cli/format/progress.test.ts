import { expect, test } from 'vitest';
import type { Progress } from '#core/calls/call.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createProgressLine } from './progress.ts';

function written(progress: 'live' | 'none', charset: 'utf-8' | 'ascii' = 'ascii') {
  const texts: string[] = [];
  const clock = createFakeClock();
  const stderr = { write: (text: string) => void texts.push(text) };
  const line = createProgressLine({ stderr, progress, charset }, clock);
  return { texts, line, clock };
}

test('progress rewrites one line of a terminal, and clears it', () => {
  const { texts, line } = written('live');
  line.show({ note: 'reading\n\u001b[31mfiles', done: 2, total: 5 });
  line.show({ done: 3 });
  line.clear();
  line.clear();
  expect(texts).toEqual(['\r\u001b[K| 2 of 5: reading \\u{1b}[31mfiles', '\r\u001b[K']);
});

test('the line moves while it waits, and tells after a while how long it has been', async () => {
  const { texts, line, clock } = written('live', 'utf-8');
  line.show({ note: 'asking' });
  clock.advance(100);
  await clock.untilWaiting();
  expect(texts).toEqual(['\r\u001b[K⠋ asking', '\r\u001b[K⠙ asking']);
  clock.jump(60_000);
  clock.advance(3900);
  line.show({ note: 'asking, about 30 tokens so far' });
  expect(texts.at(-1)).toMatch(/asking, about 30 tokens so far 4 s$/);
  line.clear();
  expect(texts.at(-1)).toBe('\r\u001b[K');
  expect(clock.waiting).toBe(0);
});

test('in a pipe there is a line every ten seconds at most, and nothing before', async () => {
  const { texts, line, clock } = written('none');
  for (let second = 0; second < 25; second += 1) {
    line.show({ note: `step ${second}` });
    clock.advance(1000);
    // The next line is scheduled after the previous one.
    await clock.untilWaiting();
  }
  line.clear();
  clock.advance(60_000);
  expect(texts).toEqual(['exai: 10 s: step 9\n', 'exai: 20 s: step 19\n']);
  expect(clock.waiting).toBe(0);
});

test('counts are whole, whatever stands between two of them', () => {
  const { texts, line } = written('live');
  line.show({ note: '3 models are asked at once.', done: 1 / 1024, total: 3 });
  line.show({ note: 'llama3.2: answered.', done: 1 + 2 / 1024, total: 3 });
  line.show({ done: 2, total: 3 });
  line.clear();
  expect(texts.map((text) => text.slice('\r\u001b[K| '.length))).toEqual([
    '0 of 3: 3 models are asked at once.',
    '1 of 3: llama3.2: answered.',
    '2 of 3',
    '',
  ]);
});

test('a heartbeat does not replace a note of the tool, and the time is shown once', async () => {
  const { texts, line, clock } = written('none');
  const steps: readonly Progress[] = [
    { phase: 'queued', note: 'awaiting capacity, 5 s' },
    { phase: 'running', note: 'running, 15 s' },
    { note: '1 of 3 have answered' },
    { phase: 'running', note: 'running, 35 s' },
    { phase: 'input_required', note: 'awaiting an answer, 45 s' },
    { phase: 'running', note: 'running, 55 s' },
  ];
  for (const step of steps) {
    line.show(step);
    clock.advance(10_000);
    await clock.untilWaiting();
  }
  line.clear();
  expect(texts).toEqual([
    'exai: 10 s: awaiting capacity\n',
    'exai: 20 s: running\n',
    'exai: 30 s: 1 of 3 have answered\n',
    'exai: 40 s: 1 of 3 have answered\n',
    'exai: 50 s: awaiting an answer\n',
    'exai: 60 s: 1 of 3 have answered\n',
  ]);
});

test('what is over soon says nothing in a pipe', () => {
  const { texts, line, clock } = written('none');
  line.show({ note: 'reading' });
  clock.advance(9999);
  line.clear();
  expect(texts).toEqual([]);
});
