import { expect, test } from 'vitest';
import { createProgressLine } from './progress-line.ts';

function written(progress: 'live' | 'none') {
  const texts: string[] = [];
  const line = createProgressLine({ stderr: { write: (text) => void texts.push(text) }, progress });
  return { texts, line };
}

test('progress rewrites one line of a terminal, and clears it', () => {
  const { texts, line } = written('live');
  line.show({ note: 'reading\n\u001b[31mfiles', done: 2, total: 5 });
  line.show({ done: 3 });
  line.clear();
  line.clear();
  expect(texts).toEqual(['\r\u001b[K2 of 5 reading \\u{1b}[31mfiles', '\r\u001b[K']);
});

test('in a pipe nothing is shown', () => {
  const { texts, line } = written('none');
  line.show({ note: 'reading' });
  line.clear();
  expect(texts).toEqual([]);
});
