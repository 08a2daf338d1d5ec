import { expect, test } from 'vitest';
import { ansi, noColor } from './colors.ts';
import { formatLogLine } from './log-line.ts';

test('a line shows local time, level, event and fields', () => {
  const line = JSON.stringify({
    timestamp_unix: 1,
    timestamp_utc: '2025-10-10T00:05:49.591Z',
    timestamp_local: '2025-10-10 11:05:49 AEDT',
    level: 'info',
    event: 'daemon_started',
    req_id: null,
    url: 'http://127.0.0.1:1',
    note: 'two words',
    nested: { a: [1] },
  });
  expect(formatLogLine(line, noColor)).toBe(
    '2025-10-10 11:05:49 AEDT info  daemon_started url=http://127.0.0.1:1 note="two words" nested={"a":[1]}',
  );
});

test('a level has its colour on a terminal', () => {
  expect(formatLogLine('{"level":"error","event":"x"}', ansi)).toContain(
    '\u001B[31merror\u001B[39m',
  );
});

test.each(['not json', '"text"', '', 'null'])('%j is shown as it is', (line) => {
  expect(formatLogLine(line, noColor)).toBe(line);
});
