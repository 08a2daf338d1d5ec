import { expect, test } from 'vitest';
import {
  judgeLogLine,
  readFilteredTail,
  type LogFilter,
  type LogLineVerdict,
} from './log-filter.ts';

const ALL: LogFilter = { connections: 'shown' };
const CALLS: LogFilter = { connections: 'hidden' };

function line(event: string, level = 'info', atS = 100): string {
  return JSON.stringify({ timestamp_unix: atS, level, event });
}

test.each<[string, LogFilter, LogLineVerdict]>([
  [line('call_ended'), CALLS, 'shown'],
  [line('client_connected'), CALLS, 'hidden_connection'],
  [line('client_disconnected'), CALLS, 'hidden_connection'],
  [line('client_greeted'), CALLS, 'hidden_connection'],
  [line('client_added'), CALLS, 'shown'],
  [line('client_connected'), ALL, 'shown'],
  ['no record', CALLS, 'shown'],
  [line('x', 'info'), { ...ALL, level: 'warn' }, 'unwanted'],
  [line('x', 'warn'), { ...ALL, level: 'warn' }, 'shown'],
  [line('x', 'error'), { ...ALL, level: 'warn' }, 'shown'],
  ['no record', { ...ALL, level: 'info' }, 'unwanted'],
  [line('x', 'info', 99), { ...ALL, sinceMs: 100_000 }, 'unwanted'],
  [line('x', 'info', 100), { ...ALL, sinceMs: 100_000 }, 'shown'],
  ['no record', { ...ALL, sinceMs: 0 }, 'unwanted'],
  [line('client_connected', 'info', 99), { ...CALLS, sinceMs: 100_000 }, 'unwanted'],
])('%s by %j is %s', (stored, filter, verdict) => {
  expect(judgeLogLine(stored, filter)).toBe(verdict);
});

test('as much of the log is read as it takes to show the wanted lines', async () => {
  const calls = Array.from({ length: 10 }, (_, at) => line(`call_${at}`));
  const log = [...calls, ...Array.from({ length: 5000 }, () => line('client_connected'))];
  const counts: number[] = [];
  const readTail = async (count: number) => {
    counts.push(count);
    return log.slice(-count);
  };
  const { lines, hiddenConnections } = await readFilteredTail(readTail, 3, CALLS);
  expect([lines[0], hiddenConnections]).toEqual([calls[7], 5000]);
  expect(counts).toEqual([500, 2000, 8000]);
});

test('a log without lines to show says how many are hidden', async () => {
  const log = [line('client_connected'), line('client_disconnected')];
  const tail = await readFilteredTail(async () => log, 50, CALLS);
  expect(tail).toEqual({ lines: [], hiddenConnections: 2 });
});

test('no lines are wanted, so none is hidden', async () => {
  const tail = await readFilteredTail(async () => [line('client_connected')], 0, CALLS);
  expect(tail).toEqual({ lines: [], hiddenConnections: 0 });
});
