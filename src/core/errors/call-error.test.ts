import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { verifies } from '../../../test/verifies.ts';
import { CallError, type ErrorJson } from './call-error.ts';
import { failureEnvelope } from '../calls/envelope.ts';
import { Envelope } from '../calls/envelope.schema.ts';
import { baseRenderer } from '../messages/render.ts';

verifies('errors:funnel', 'anything thrown becomes a CallError without a stranger’s text', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string({ minLength: 12 }), (thing, secret) => {
      const stranger = new TypeError(`key ${secret}`);
      for (const thrown of [thing, stranger, { message: secret }, secret]) {
        const error = CallError.from(thrown);
        expect(error).toBeInstanceOf(CallError);
        expect(error.policy).toBeDefined();
      }
      expect(CallError.from(stranger).message).not.toContain(secret);
      expect(CallError.from(stranger).cause).toBe(stranger);
      expect(JSON.stringify(CallError.from(stranger))).not.toContain(secret);
    }),
  );
});

test.each([
  [() => readFileSync('/nowhere/at/all'), 'not_found', 'No such file or folder: "/nowhere/at/all"'],
  [() => readFileSync('/'), 'validation', 'A folder stands where a file is expected'],
  [() => AbortSignal.abort().throwIfAborted(), 'cancelled', 'The call was cancelled.'],
  [
    () => {
      throw new DOMException('late', 'TimeoutError');
    },
    'timeout',
    'No answer in time.',
  ],
  [
    () => {
      throw Object.assign(new Error('x'), { code: 'ECONNRESET' });
    },
    'network',
    'The connection was reset',
  ],
  [
    () => {
      throw Object.assign(new Error('x'), { code: 'ENOSPC' });
    },
    'over_capacity',
    'The disk is full',
  ],
  [
    () => {
      throw Object.assign(new Error('x'), { code: '__proto__' });
    },
    'internal',
    'Something failed inside EX-AI (Error); the log has the details.',
  ],
])(
  'a failure of the system gets its class and plain words (%#)',
  (fail, expectedClass, message) => {
    let error: CallError | undefined;
    try {
      fail();
    } catch (thrown) {
      error = CallError.from(thrown);
    }
    expect(error).toMatchObject({ class: expectedClass, message });
  },
);

test('a CallError passes the funnel unchanged and survives the way through JSON', () => {
  const error = new CallError('rate_limit', 'Slow down.', {
    retryAfterMs: 500,
    provider: 'kimi',
    fix: 'Wait.',
    lacks: ['tasks'],
  });
  expect(CallError.from(error)).toBe(error);
  const copy = CallError.fromJSON(JSON.parse(JSON.stringify(error)));
  expect(copy.toJSON()).toEqual(error.toJSON());
  expect(CallError.fromJSON({ ...error.toJSON(), class: 'constructor' as never }).class).toBe(
    'internal',
  );
});

test('a failure has the envelope of every answer', () => {
  const error = new CallError('auth', 'No key for kimi.', {
    provider: 'kimi',
    fix: 'Run: exai keys add kimi',
  });
  const envelope = failureEnvelope(error, { tool: 'chat', req_id: 'req_1' });
  expect(Envelope.parse(envelope)).toEqual({
    status: 'error',
    error_class: 'auth',
    provider: 'kimi',
    tool: 'chat',
    attempt: 0,
    req_id: 'req_1',
    detail: 'No key for kimi. Run: exai keys add kimi',
    error: {
      message: 'No key for kimi.',
      fixes: [{ kind: 'advice', params: { text: 'Run: exai keys add kimi' } }],
    },
    content: null,
  });
});

test('fixes of another process that cannot be rendered are left out, and their text stays', () => {
  for (const fixes of [
    [{ kind: 'raise_setting', params: {} }],
    [{ kind: 'of_tomorrow', params: {} }],
    [{ kind: '__proto__', params: {} }],
    'text',
    [null],
  ]) {
    const json = { class: 'auth', message: 'No.', fix: 'Do it.', fixes } as unknown as ErrorJson;
    const error = CallError.fromJSON(json);
    expect([error.fix, error.toJSON().fixes]).toEqual([
      'Do it.',
      [{ kind: 'advice', params: { text: 'Do it.' } }],
    ]);
  }
});

test('a reason of another process that cannot be rendered leaves the message as it came', () => {
  const strange = { code: 'of_tomorrow', params: {} };
  for (const reason of [
    { code: 'missing_arguments', params: {} },
    { code: 'invalid_argument', params: {} },
    { code: 'passed_over', params: { reason: strange } },
    { code: '__proto__', params: {} },
    strange,
    { code: 'no_key' },
    'text',
    null,
  ]) {
    const json = { class: 'validation', message: 'No.', reason } as unknown as ErrorJson;
    expect(baseRenderer.message(CallError.fromJSON(json))).toBe('No.');
  }
});
