import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { callEntry, logEntry } from './activity-entry.ts';

const CALL = {
  reqId: 'req_1',
  at: Date.UTC(2026, 0, 2),
  principal: 'laptop',
  agent: null,
  door: 'ws',
  tool: 'status',
  status: 'success',
  errorClass: null,
  argsSha256: 'digest',
  elapsedMs: 3.6,
  metadata: { timestamp_utc: '', timestamp_local: '', timezone: 'UTC' },
} as const;

test('a call is a line and a row, without its arguments', () => {
  expect(callEntry(CALL)).toEqual({
    at: CALL.at,
    line: '2026-01-02T00:00:00.000Z status success 4 ms, laptop by ws, req_1',
    row: {
      at: '2026-01-02T00:00:00.000Z',
      req_id: 'req_1',
      principal: 'laptop',
      agent: null,
      door: 'ws',
      tool: 'status',
      status: 'success',
      error_class: null,
      elapsed_ms: 4,
    },
  });
  const known = callEntry({ ...CALL, clientInfo: { name: 'claude-code', version: '2.1.197' } });
  expect(known.line).toContain(', laptop with claude-code by ws');
  expect(known.row).toMatchObject({ client: { name: 'claude-code', version: '2.1.197' } });
  const failed = callEntry({ ...CALL, agent: 'coder', status: 'error', errorClass: 'timeout' });
  expect(failed.line).toContain('error timeout 4 ms, coder of laptop by ws');
});

test('a line of the log is read back, and stays on one line', () => {
  const row = {
    timestamp_unix: 1.5,
    timestamp_utc: '1970-01-01T00:00:01.500Z',
    timestamp_local: 'x',
    level: 'warn',
    event: 'slow',
    req_id: null,
    path: 'a\nb\u001b[2J',
    error: { class: 'timeout' },
  };
  expect(logEntry(JSON.stringify(row))).toEqual({
    at: 1500,
    level: 'warn',
    line: '1970-01-01T00:00:01.500Z warn slow path=a b [2J error={"class":"timeout"}',
    row,
  });
});

test('an error is rendered by its message', () => {
  const row = {
    timestamp_unix: 1.5,
    timestamp_utc: 'then',
    level: 'warn',
    event: 'call_failed',
    tool: 'probe',
    error: { class: 'timeout', message: 'No answer in time.', fix: 'Ask again.' },
    cause: { name: 'TypeError', message: 'x is no function', stack: 'at …' },
  };
  expect(logEntry(JSON.stringify(row))?.line).toBe(
    'then warn call_failed tool=probe error=timeout: No answer in time. Ask again. ' +
      'cause=TypeError: x is no function',
  );
});

test.each([
  '',
  'null',
  '[1]',
  '3',
  '{"level":"warn"',
  '{"level":"warn"}',
  '{"timestamp_unix":"1"}',
])('%j is no line of ours', (line) => expect(logEntry(line)).toBeUndefined());

verifies('log:aliases', 'a line of 0.1 and one of today can be found by either name', () => {
  const times = { timestamp_unix: 1.5, timestamp_utc: 'now', level: 'info' };
  const old = logEntry(JSON.stringify({ ...times, event: 'client_greeted', kind: 'shim' }));
  const today = logEntry(
    JSON.stringify({ ...times, event: 'client_connected', event_alias: 'client_greeted' }),
  );
  for (const line of [old?.line, today?.line]) {
    expect(line).toContain('now info client_connected');
    expect(line).toContain('event_alias=client_greeted');
  }
});
