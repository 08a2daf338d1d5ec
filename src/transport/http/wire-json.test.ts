import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { fromWireJson, toWireJson } from './wire-json.ts';

test('keys become snake_case at every depth, values stay as they are', () => {
  const error = new CallError('rate_limit', 'Slow down.', { retryAfterMs: 1000 });
  const document = { startedAt: 'fromSeq', list: [{ schemaVersion: 1, gone: undefined }], error };
  expect(JSON.parse(toWireJson(document))).toEqual({
    started_at: 'fromSeq',
    list: [{ schema_version: 1 }],
    error: { class: 'rate_limit', message: 'Slow down.', retry_after_ms: 1000 },
  });
});

test('what was written is read back as it was', () => {
  const document = { uptimeS: 1, store: { schemaVersion: 2, kind: 'sqlite' }, list: [null, 'a_b'] };
  expect(fromWireJson(toWireJson(document, 2))).toEqual(document);
});
