import { describe, expect, test } from 'vitest';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { KEY, clientTo } from './streaming-request.fixture.ts';

const json = { 'content-type': 'application/json' };

describe('a refusal', () => {
  test.each<[string, number, Record<string, string>, string, object]>([
    [
      'nested',
      429,
      { 'retry-after': '2' },
      '{"error":{"message":"Slow down","type":"rate_limit_reached_error"}}',
      { class: 'rate_limit', retryAfterMs: 2000 },
    ],
    ['flat', 400, {}, '{"object":"error","message":"bad","code":400}', { class: 'bad_request' }],
    [
      'a bare text',
      500,
      {},
      '{"error":"it broke"}',
      {
        class: 'provider_error',
        message: 'Kimi failed (500): it broke.',
        vendorText: 'it broke',
      },
    ],
    [
      'HTML',
      504,
      {},
      '<html><body>secret</body></html>',
      { class: 'timeout', message: 'Kimi took too long (504).', vendorText: undefined },
    ],
    ['nothing', 502, {}, '', { class: 'provider_error', message: 'Kimi failed (502).' }],
    [
      'in milliseconds',
      503,
      { 'retry-after-ms': '150' },
      '',
      { class: 'overloaded', retryAfterMs: 150 },
    ],
    [
      'as a date',
      503,
      { 'retry-after': 'Fri, 10 Oct 2025 00:05:50 GMT' },
      '',
      { class: 'overloaded', retryAfterMs: 409 },
    ],
    [
      'in words',
      429,
      {},
      '{"error":{"message":"please try again after 3 seconds"}}',
      { class: 'rate_limit', retryAfterMs: 3000 },
    ],
    [
      'too long',
      400,
      {},
      '{"error":{"message":"x","code":"context_length_exceeded"}}',
      { class: 'context_length' },
    ],
  ])('%s (%i) has its class and its hint', async (_form, status, headers, body, expected) => {
    const { ask } = clientTo(() => ({ status, headers, pieces: [body] }));
    expect(await ask()).toMatchObject({
      is: 'failed',
      error: { ...expected, provider: 'kimi', model: 'kimi-k3' },
    });
  });

  verifies('wire:errors', 'holds no key and nothing of what was asked', async () => {
    const prompt = 'the quarterly figures of the whole company, which nobody may see';
    const message = `Incorrect key ${KEY} of account u1<ak-f8e2d1c4b5a6> in "${prompt}"`;
    const { ask } = clientTo(() => ({
      status: 401,
      pieces: [JSON.stringify({ error: { message } })],
    }));
    const outcome = await ask();
    const shown = outcome.is === 'failed' ? outcome.error.message : '';
    expect(shown).toBe(
      'Kimi does not accept the key (401): Incorrect key [secret] of account u1 in "….',
    );
  });

  verifies(
    'wire:errors',
    'without a key nothing is sent, and the way to one is named',
    async () => {
      const { ask, requests } = clientTo(() => ({}), { key: createSecret('') });
      expect(await ask()).toMatchObject({
        error: {
          class: 'not_configured',
          message: 'Kimi has no key yet.',
          fix: 'Add a key with: exai keys add kimi',
        },
      });
      expect(requests).toEqual([]);
    },
  );
});

describe('an upload', () => {
  verifies(
    'wire:vendor-ids',
    'streams its file, with a length, and keeps the ids of the vendor',
    async () => {
      const sent: string[] = [];
      const { client, context, exchanges } = clientTo(async ({ body, headers }) => {
        for await (const piece of body as AsyncIterable<Uint8Array>)
          sent.push(Buffer.from(piece).toString());
        expect(headers['content-length']).toBe(String(sent.join('').length));
        return { headers: { ...json, 'msh-request-id': 'r-9' }, pieces: ['{"id":"f1"}'] };
      });
      async function* bytes() {
        yield Buffer.from('one ');
        yield Buffer.from('two');
      }
      const file = { field: 'file', name: 'a"\r\nb.txt', mediaType: 'text/plain', size: 7, bytes };
      const { json: answer } = await client.call(
        {
          operation: 'upload',
          method: 'POST',
          path: '/files',
          form: { fields: { purpose: 'x' }, file },
        },
        context,
      );
      expect(answer).toEqual({ id: 'f1' });
      expect(sent.join('')).toContain(
        'name="file"; filename="a%22%0D%0Ab.txt"\r\ncontent-type: text/plain\r\n\r\none two\r\n--',
      );
      expect(exchanges).toMatchObject([
        { operation: 'upload', outcome: 'ok', vendorIds: { 'msh-request-id': 'r-9' } },
      ]);
    },
  );
});
