import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import { CHAT, openai, post } from './gateway-post.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness();
}, CLIENT_MS);
afterAll(() => harness?.close());

/** A request whose answer is the given text, against a pattern. */
function ask(x: string, pattern: string) {
  const schema = {
    type: 'object',
    properties: { x: { type: 'string', pattern } },
    required: ['x'],
  };
  const content = `Say exactly: ${JSON.stringify({ x })}`;
  return post(harness.url + CHAT, {
    body: openai({
      model: 'glm-4.6',
      messages: [{ role: 'user', content }],
      response_format: { type: 'json_schema', json_schema: { name: 'it', schema } },
    }),
  });
}

const MISMATCH = '/x must match its pattern';
const LONG = `${'a'.repeat(60)}!`;
const HOSTILE = [
  '^(a+){0000000000001,}$',
  '^(a+)+$',
  '^(a|a)*$',
  String.raw`^(\w+\s?)*$`,
  '^(?=(a+)+$)',
  '(a*)*(a*)*(a*)*b',
];

verifies(
  'security:foreign-patterns',
  'clients whose schemas have hostile patterns hold up neither health checks, nor each other, nor the stop',
  async () => {
    const hostile = HOSTILE.map((pattern) => ask(LONG, pattern));
    const others = Array.from({ length: 5 }, () =>
      ask('2026-01-31', String.raw`^\d{4}(-\d\d){2}$`),
    );
    const health = Array.from({ length: 5 }, () =>
      post(`${harness.url}/healthz`, { method: 'GET' }),
    );
    expect((await Promise.all(health)).map(({ status }) => status)).toEqual(Array(5).fill(200));
    for (const { status, text } of await Promise.all(others)) {
      expect(status).toBe(200);
      expect(text).toContain('2026-01-31');
    }
    const [first, ...rest] = await Promise.all(hostile);
    expect(first).toMatchObject({ status: 502, text: expect.stringContaining(MISMATCH) });
    // Asked again, the emulator may find a text that fits.
    for (const { text } of rest) expect(text).not.toContain(LONG);
    expect(await harness.exai('stop')).toMatchObject({ code: 0 });
  },
  CLIENT_MS,
);
