import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { isLogged } from '#core/logged.ts';
import type { Fields, Log, Metrics } from '#core/telemetry.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createObserver } from './observe.ts';

function observed() {
  const lines: { level: string; event: string; fields: Fields | undefined }[] = [];
  const labels: unknown[] = [];
  const add = (level: string) => (event: string, fields?: Fields) =>
    void lines.push({ level, event, fields });
  const log: Log = { info: add('info'), warn: add('warn'), error: add('error'), with: () => log };
  const metrics: Metrics = {
    counter: () => ({ add: (given) => void labels.push(given) }),
    histogram: () => ({ observe: () => undefined }),
    gauge: () => undefined,
  };
  return { lines, labels, observer: createObserver(metrics, log, createFakeClock()) };
}

const ABOUT = { reqId: 'req_1', elapsedMs: 1, asked: 'probe' };

test.each<[ErrorClass, string]>([
  ['validation', 'info'],
  ['not_found', 'info'],
  ['bad_request', 'info'],
  ['permission', 'info'],
  ['cancelled', 'info'],
  ['timeout', 'warn'],
  ['over_capacity', 'warn'],
  ['auth', 'warn'],
  ['internal', 'error'],
])('a call that fails as %s is of level %s', (errorClass, level) => {
  const { lines, observer } = observed();
  observer.ended('probe', 'error', new CallError(errorClass, 'No.'), ABOUT);
  expect(lines).toMatchObject([{ level, event: 'call_failed' }]);
});

test('the name of an unknown tool is in the log, short and on one line, and no label', () => {
  const { lines, labels, observer } = observed();
  const asked = `stat\nsu${'x'.repeat(500)}`;
  observer.ended('unknown', 'error', new CallError('not_found', 'No.'), { ...ABOUT, asked });
  expect(labels).toEqual([{ tool: 'unknown', outcome: 'not_found' }]);
  const [line] = lines;
  expect(line?.fields?.['tool']).toMatch(/^stat sux+…$/);
  expect(line?.fields?.['tool']).toHaveLength(128);
});

verifies('log:levels', 'mistakes without end do not fill the log', () => {
  const { lines, observer } = observed();
  const error = new CallError('validation', 'No.');
  for (let n = 0; n < 1000; n++) observer.ended('probe', 'error', error, ABOUT);
  expect(lines).toHaveLength(60);
});

test('a failure that was logged is known as such, and no other is', () => {
  const { observer } = observed();
  const error = new CallError('validation', 'No.');
  expect(isLogged(error)).toBe(false);
  observer.ended('probe', 'error', error, ABOUT);
  expect(isLogged(error)).toBe(true);
  expect(isLogged(new CallError('validation', 'No.'))).toBe(false);
});
