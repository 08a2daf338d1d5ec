import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import { anthropic, CHAT, MESSAGES, openai, post } from './gateway-post.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

const OWNER = 'the-owner-of-this-daemon-alone';

let harness: GatewayHarness;
const keys: Record<string, string> = {};
beforeAll(async () => {
  harness = await openGatewayHarness({
    env: { EXAI_TOKEN: OWNER },
    config: { budget: { clients: ['poor=0.0004'], whenSpent: 'refuse' } },
  });
  for (const [name, scope] of [
    ['poor', '*'],
    ['rich', '*'],
    ['passing', '*'],
    ['narrow', 'version'],
  ] as const) {
    const { stdout } = await harness.exai('access', 'add', name, '--scope', scope, '--json');
    keys[name] = (JSON.parse(stdout) as { token: string }).token;
  }
}, CLIENT_MS);
afterAll(() => harness?.close());

const ask = (key: string | undefined, more: object = {}) =>
  post(harness.url + CHAT, {
    body: openai(more),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });

const askAnthropic = (headers: Readonly<Record<string, string>>, more: object = {}) =>
  post(harness.url + MESSAGES, { body: anthropic(more), headers });

describe('a daemon that wants a key', () => {
  verifies(
    'gateway:keys',
    'refuses whoever has none, or the word for none, or one that nobody was given',
    async () => {
      const answers = [await ask(undefined), await ask('local'), await ask('sk-unknown')];
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
      const models = await post(`${harness.url}/v1/models`, { method: 'GET' });
      expect(models.status).toBe(401);
      expect(harness.emulator.requests()).toEqual([]);
    },
  );

  verifies(
    'gateway:keys',
    'takes a client’s key as a bearer token and in the header of Anthropic’s clients',
    async () => {
      const key = keys['rich'] ?? '';
      expect((await ask(key)).status).toBe(200);
      expect((await askAnthropic({ 'x-api-key': key })).status).toBe(200);
      expect((await askAnthropic({ authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await ask(OWNER)).status).toBe(200);
    },
  );

  verifies(
    'gateway:keys',
    'refuses a client whose scopes do not name it, with words for it',
    async () => {
      const answer = await ask(keys['narrow']);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('gateway_chat')]);
      const own = await askAnthropic({ 'x-api-key': keys['narrow'] ?? '' });
      expect([own.status, own.text]).toEqual([403, expect.stringContaining('permission_error')]);
    },
  );

  verifies('gateway:keys', 'no longer takes a key that was taken away', async () => {
    expect((await ask(keys['passing'])).status).toBe(200);
    expect((await harness.exai('access', 'remove', 'passing')).code).toBe(0);
    expect((await ask(keys['passing'])).status).toBe(401);
  });

  verifies(
    'gateway:keys',
    'writes the client, the transport and the operation to the audit, and the key to no log',
    async () => {
      const { stdout, code } = await harness.exai('logs', '--json');
      expect(code).toBe(0);
      for (const key of Object.values(keys)) expect(stdout).not.toContain(key);
      const verified = await harness.exai('audit', 'verify');
      expect(verified.code).toBe(0);
    },
  );
});

verifies(
  'gateway:budget',
  'a client whose budget is spent is told so, and the others go on',
  async () => {
    const dear = { model: 'kimi-k3', max_tokens: 8 };
    const statuses: number[] = [];
    let last = await ask(keys['poor'], dear);
    for (; last.status === 200 && statuses.length < 20; last = await ask(keys['poor'], dear))
      statuses.push(last.status);
    expect(statuses.length).toBeGreaterThan(0);
    expect(last.status).toBe(402);
    expect(JSON.parse(last.text)).toMatchObject({
      error: { type: 'insufficient_quota', code: 'budget_exceeded' },
    });
    const asked = harness.emulator.requests().length;
    const streamed = await ask(keys['poor'], { ...dear, stream: true });
    const own = await askAnthropic({ 'x-api-key': keys['poor'] ?? '' }, dear);
    expect([streamed.status, own.status]).toEqual([402, 402]);
    expect(JSON.parse(own.text)).toMatchObject({
      type: 'error',
      error: { type: expect.any(String) },
    });
    expect(harness.emulator.requests().length).toBe(asked);

    expect((await ask(keys['rich'], dear)).status).toBe(200);
    expect((await ask(OWNER, dear)).status).toBe(200);
  },
);

verifies('gateway:keys', 'a wish about cost is kept by the gateway', async () => {
  const answer = await post(harness.url + CHAT, {
    body: openai({ model: 'kimi-k3' }),
    headers: {
      authorization: `Bearer ${keys['rich'] ?? ''}`,
      'x-exai-max-cost-usd': '0',
      'x-exai-fallback': 'none',
    },
  });
  expect(answer.status).toBe(402);
});
