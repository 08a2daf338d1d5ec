import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openAskStore } from '../cases/ask-under-test.ts';
import {
  openGatewayHarness,
  type Asking,
  type GatewayHarness,
  type GatewayRig,
} from '../cases/gateway-under-test.ts';
import { verifies } from '../verifies.ts';

let opened: Awaited<ReturnType<typeof openAskStore>>;
let harness: GatewayHarness;
let poor: GatewayHarness;

const PENNY = 0.001;
const REFUSING = { clientDailyUsd: PENNY, whenSpent: 'refuse' };

beforeAll(async () => {
  opened = await openAskStore();
  harness = await openGatewayHarness({ store: opened.store, providers: ['kimi', 'glm'] });
  poor = await openGatewayHarness({
    store: opened.store,
    providers: ['kimi'],
    settings: { budget: REFUSING },
  });
});
afterAll(async () => {
  await harness.close();
  await poor.close();
  await opened.close();
});

const THINKS = [{ role: 'user', content: '[[think 3000]] A person' }];
const JSON_FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'person',
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, town: { type: 'string' } },
      required: ['name', 'town'],
    },
  },
};

type Body = Readonly<Record<string, unknown>>;
const bodyOf = ({ body }: { readonly body: string }) => JSON.parse(body) as Body;
const asking = (body: object, headers: Readonly<Record<string, string>> = {}): Asking => ({
  shape: 'openai',
  body: { model: 'kimi-k3', ...body },
  headers,
});
const spentMicroUsd = async (rig: GatewayRig) =>
  (await rig.usage()).reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);

describe('a limit of tokens that went into thinking', () => {
  verifies('gateway:limit-binds', 'ends as length at OpenAI’s API, of one request', async () => {
    const rig = await harness.rig();
    const sent = await rig.send(asking({ max_tokens: 2, messages: THINKS }));
    const { choices, usage, exai } = bodyOf(sent);
    expect(choices).toMatchObject([{ finish_reason: 'length', message: { content: '' } }]);
    expect(usage).toMatchObject({ completion_tokens: 2 });
    expect(exai).toMatchObject({
      usage_total: { output_tokens: 2 },
      attempts: [{ outcome: 'ok' }],
    });
    expect(rig.chats()).toHaveLength(1);
    expect(await rig.held()).toEqual([]);
  });

  verifies('gateway:limit-binds', 'ends as length in a stream, too', async () => {
    const rig = await harness.rig();
    const body = { max_tokens: 2, messages: THINKS, stream: true };
    const { read } = await rig.send(asking(body));
    expect(read.wrong).toEqual([]);
    expect(read.choices).toMatchObject([{ text: '', finish: 'length' }]);
    expect(rig.chats()).toHaveLength(1);
    await rig.close();
  });

  verifies('gateway:limit-binds', 'ends as max_tokens at Anthropic’s API', async () => {
    const rig = await harness.rig();
    const body = { model: 'kimi-k3', max_tokens: 2, messages: THINKS };
    for (const stream of [false, true]) {
      const { read } = await rig.send({ shape: 'anthropic', body: { ...body, stream } });
      expect(read.wrong).toEqual([]);
      expect(read.choices).toMatchObject([{ text: '', finish: 'max_tokens' }]);
    }
    expect(rig.chats()).toHaveLength(2);
    await rig.close();
  });

  verifies('gateway:limit-binds', 'opens no breaker, however often', async () => {
    const rig = await harness.rig();
    for (let at = 0; at < 12; at++) {
      const { status } = await rig.send(asking({ max_tokens: 2, messages: THINKS }));
      expect(status).toBe(200);
    }
    expect(rig.chats('kimi')).toHaveLength(12);
    expect(rig.chats('glm')).toHaveLength(0);
    await rig.close();
  });
});

describe('JSON that the limit of tokens cut', () => {
  for (const model of ['auto', 'glm-5.3', 'kimi-k2.6', 'kimi-k3'])
    verifies('gateway:limit-binds', `of ${model} is delivered as far as it came`, async () => {
      const rig = await harness.rig();
      const messages = [{ role: 'user', content: 'A person' }];
      const body = { model, max_tokens: 2, messages, response_format: JSON_FORMAT };
      const { choices, usage } = bodyOf(await rig.send(asking(body)));
      expect(choices).toMatchObject([{ finish_reason: 'length' }]);
      expect(usage).toMatchObject({ completion_tokens: 2 });
      expect(rig.chats()).toHaveLength(1);
      await rig.close();
    });
});

describe('money', () => {
  verifies('gateway:limit-binds', 'is not spent beyond the limit of a request', async () => {
    const rig = await harness.rig();
    const headers = { 'x-exai-max-cost-usd': '0.0005', 'x-exai-fallback': 'none' };
    const sent = await rig.send(asking({ max_tokens: 2, messages: THINKS }, headers));
    expect(sent.status).toBe(200);
    expect(await spentMicroUsd(rig)).toBeLessThanOrEqual(500);
    await rig.close();
  });

  verifies('gateway:limit-binds', 'is not spent beyond a budget by many at once', async () => {
    const rig = await poor.rig();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => rig.send(asking({ max_tokens: 2, messages: THINKS }))),
    );
    const statuses = new Set(all.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 402)).toBe(true);
    // The cost of one request, far below a tenth of a cent, is what may come on top.
    expect(await spentMicroUsd(rig)).toBeLessThan(2 * PENNY * 1e6);
    await rig.close();
  });
});

describe('an answer that another model continued', () => {
  const WORDS = '[[tokens 200]]';
  const long = `${'The harbour was founded in 1070. '.repeat(400)} ${WORDS}`;
  const body = {
    model: 'kimi-k2.6',
    messages: [{ role: 'user', content: long }],
    stream: true,
    stream_options: { include_usage: true },
  };

  verifies('gateway:usage', 'has the usage of an unbroken one, and the sum beside it', async () => {
    const whole = await (await harness.rig()).send(asking(body));
    const rig = await harness.rig();
    harness.emulator.fault({ id: 'F5.cut', vendor: 'kimi', times: 0 });
    const { read } = await rig.send(asking(body));
    expect(read.end).toBe('whole');
    expect(read.seams.length).toBeGreaterThan(0);
    const total = read.exai?.['usage_total'] as Readonly<Record<string, number>>;
    const { input = 0, output = 0 } = read.usage ?? {};
    const expected = whole.read.usage ?? { input: 0, output: 0 };
    expect(total['input_tokens']).toBeGreaterThan(1.8 * expected.input);
    // Models count differently.
    expect(input / expected.input).toBeGreaterThan(0.8);
    expect(input / expected.input).toBeLessThan(1.25);
    expect(output / expected.output).toBeGreaterThan(0.8);
    expect(output / expected.output).toBeLessThan(1.25);
    await rig.close();
  });

  verifies('gateway:limit-binds', 'has one limit of tokens', async () => {
    const rig = await harness.rig();
    harness.emulator.fault({ id: 'F5.cut', vendor: 'kimi', times: 0 });
    const { read } = await rig.send(asking({ ...body, max_tokens: 60 }));
    expect(read.end).toBe('whole');
    expect(read.choices).toMatchObject([{ finish: 'length' }]);
    expect(read.usage?.output).toBeLessThanOrEqual(60);
    const limits = rig.chats().map(({ body: sent }) => {
      const { max_tokens: most, max_completion_tokens: limit } = sent as Record<string, number>;
      return limit ?? most ?? Infinity;
    });
    expect(limits.length).toBeGreaterThan(1);
    expect(limits[0]).toBe(60);
    expect(limits.at(-1)).toBeLessThan(60);
    await rig.close();
  });
});

describe('several choices', () => {
  for (const count of [3, 8])
    verifies('ask:calls', `make at most 12 requests together, here ${count}`, async () => {
      const rig = await harness.rig();
      for (const vendor of ['kimi', 'glm'] as const)
        harness.emulator.fault({ id: 'F4.500', vendor, path: 'chat', times: 0 });
      const messages = [{ role: 'user', content: 'hello' }];
      const { status } = await rig.send(asking({ model: 'auto', n: count, messages }));
      expect(status).toBeGreaterThanOrEqual(500);
      expect(rig.chats().length).toBeGreaterThanOrEqual(count);
      expect(rig.chats().length).toBeLessThanOrEqual(12);
      await rig.close();
    });
});
