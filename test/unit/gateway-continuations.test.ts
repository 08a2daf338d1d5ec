import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startContinuingVendor,
  type Break,
  type Continuing,
  type ContinuingVendor,
} from '../cases/continuing-vendor.ts';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import type { GatewayHarness, GatewayRig } from '../cases/gateway-under-test.ts';
import { sampled } from '../thorough.ts';

const PROSE =
  'A circuit breaker stands between a client and some service, and it counts failures. When too many of them ' +
  'come within a short time it opens, so that neither side waits for something which cannot happen. After a ' +
  'cool-down one probe is let through; if it succeeds, the breaker closes again.';
const TABLE = `Here are the rows:\n${'| 0 | 0 | 0 |\n'.repeat(12)}`.trimEnd();
/** The vendor breaks off after twelve words, which are two sentences. */
const FOUR_SENTENCES =
  'A breaker counts all failed requests. It opens after too many failures. Then it waits. A probe closes it again.';
const SENTENCES = 'The daemon checks each request and asks a model. '.repeat(6).trimEnd();

/** What a client has read, and whether it was told that this is all. */
interface Heard {
  readonly text: string;
  readonly end: 'whole' | 'failed' | 'silent';
}

/** What is read of an event of any of the three APIs. */
interface WireEvent {
  readonly type?: string;
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
  readonly delta?: string | { readonly text?: string };
}

const ENDPOINTS = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'kimi-k3', stream: true, messages: [{ role: 'user', content: 'Say it.' }] },
    read: ({ choices }: WireEvent) => choices?.[0]?.delta?.content ?? '',
    end: '[DONE]',
  },
  messages: {
    path: '/v1/messages',
    body: {
      model: 'kimi-k3',
      stream: true,
      max_tokens: 4096,
      messages: [{ role: 'user', content: 'Say it.' }],
    },
    read: ({ delta }: WireEvent) => (typeof delta === 'object' ? (delta.text ?? '') : ''),
    end: '"message_stop"',
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'kimi-k3', stream: true, store: false, input: 'Say it.' },
    read: ({ type, delta }: WireEvent) =>
      type === 'response.output_text.delta' && typeof delta === 'string' ? delta : '',
    end: '"response.completed"',
  },
} as const;
type Endpoint = keyof typeof ENDPOINTS;

const BREAKS: readonly Break[] = ['cut', 'end', 'stall', 'error', 'malformed'];
const CONTINUINGS: readonly Continuing[] = [
  'exactly',
  'anew',
  'last 30 characters',
  'last 12 characters',
  'last 3 characters',
  'last word',
  'line break',
  'space',
  'preamble',
];

async function ask(rig: GatewayRig, endpoint: Endpoint): Promise<Heard> {
  const { path, body, read, end } = ENDPOINTS[endpoint];
  const response = await fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${rig.key}` },
    body: JSON.stringify(body),
  });
  const received = await response.text();
  const events = received
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as WireEvent);
  const text = events.map(read).join('');
  const isFailed = /^(?:event: error|data: \{"error"|data: \{"type":"(?:error|response\.failed))/m;
  if (received.includes(end)) return { text, end: 'whole' };
  return { text, end: isFailed.test(received) ? 'failed' : 'silent' };
}

describe('an answer that breaks off is whole afterwards, or ends as an error', () => {
  const suite = gatewaySuite();
  let vendor: ContinuingVendor;
  let harness: GatewayHarness;

  beforeAll(async () => {
    vendor = await startContinuingVendor();
    const options = { vendorsUrl: vendor.url, providers: ['kimi', 'glm'] } as const;
    harness = await suite.another(options, () => undefined);
  });
  afterAll(async () => {
    await harness.close();
    await vendor.close();
  });

  const cases = (Object.keys(ENDPOINTS) as Endpoint[]).flatMap((endpoint) =>
    (['honoured', 'ignored'] as const).flatMap((partial) =>
      BREAKS.flatMap((how) =>
        CONTINUINGS.map((continuing) => ({ endpoint, partial, how, continuing })),
      ),
    ),
  );

  // Each with a manager of its own, so that no breaker of an earlier one hides a vendor.
  test.each(sampled(cases, 7))(
    '$endpoint, $how, partial $partial, continued: $continuing',
    async ({ endpoint, partial, how, continuing }) => {
      const rig = await harness.rig({ patience: { firstTokenMs: 20_000, idleMs: 500 } });
      for (const breaks of [1, 2]) {
        vendor.plan({ whole: PROSE, break: how, breaks, continuing, partial });
        const heard = await ask(rig, endpoint);
        expect(heard).toEqual({ text: PROSE, end: 'whole' });
        expect(vendor.asked).toBe(breaks + 1);
      }
      await rig.close();
    },
  );

  const silences = (Object.keys(ENDPOINTS) as Endpoint[]).flatMap((endpoint) =>
    (['empty', 'thinking', 'blank'] as const).map((silence) => ({ endpoint, silence })),
  );

  test.each(silences)(
    '$endpoint, cut after a sentence, Kimi continues with a response that is $silence: GLM is asked',
    async ({ endpoint, silence }) => {
      const rig = await harness.rig();
      const plan = { break: 'cut', breaks: 1, continuing: 'exactly', partial: 'honoured' } as const;
      vendor.plan({ ...plan, whole: FOUR_SENTENCES, silence });
      expect(await ask(rig, endpoint)).toEqual({ text: FOUR_SENTENCES, end: 'whole' });
      await rig.close();
    },
  );

  test.each([
    ['rows of a table', TABLE],
    ['one sentence six times', SENTENCES],
  ])('%s: begun again, it is whole or fails, and is never doubled', async (_, whole) => {
    for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
      const rig = await harness.rig();
      vendor.plan({ whole, break: 'cut', breaks: 1, continuing: 'anew', partial: 'ignored' });
      const { text, end } = await ask(rig, endpoint);
      expect(end).not.toBe('silent');
      expect(end === 'whole' ? text : whole.slice(0, text.length)).toBe(
        end === 'whole' ? whole : text,
      );
      await rig.close();
    }
  });

  test.each([
    ['rows of a table', TABLE, 'honoured', 'whole'],
    ['rows of a table', TABLE, 'ignored', 'failed'],
    // Nothing was emitted of a text that repeats itself from its beginning, so it is asked for again.
    ['one sentence six times', SENTENCES, 'ignored', 'whole'],
  ] as const)(
    '%s, continued exactly, only where the model begins as it is asked to (%#)',
    async (_, whole, partial, expected) => {
      for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
        const rig = await harness.rig();
        vendor.plan({ whole, break: 'end', breaks: 1, continuing: 'exactly', partial, cut: 100 });
        const { text, end } = await ask(rig, endpoint);
        expect(end).toBe(expected);
        expect(whole.startsWith(text)).toBe(true);
        expect(text === whole).toBe(expected === 'whole');
        await rig.close();
      }
    },
  );

  const texts = { prose: PROSE, 'rows of a table': TABLE, 'one sentence six times': SENTENCES };
  const ways = Object.entries(texts).flatMap(([name, whole]) =>
    CONTINUINGS.map((continuing) => ({ name, whole, continuing })),
  );

  test.each(ways)(
    '$name, cut anywhere, continued: $continuing: it is whole or fails, and is never doubled',
    async ({ whole, continuing }) => {
      const cuts = sampled(
        Array.from({ length: whole.length - 1 }, (_, at) => at + 1),
        31,
      );
      const wrong: unknown[] = [];
      for (const [turn, cut] of cuts.entries()) {
        const endpoint = (Object.keys(ENDPOINTS) as Endpoint[])[turn % 3] ?? 'chat';
        const partial = turn % 2 === 0 ? 'honoured' : 'ignored';
        vendor.plan({ whole, break: 'cut', breaks: 1, continuing, partial, cut });
        // With its own manager: no breaker of an earlier cut hides a vendor.
        const rig = await harness.rig();
        const heard = await ask(rig, endpoint);
        await rig.close();
        const isWhole = heard.end === 'whole' && isSameText(heard.text, whole);
        const isTyped = heard.end === 'failed' && whole.startsWith(heard.text);
        // The place in a text that repeats itself is proven only by a beginning that it does not repeat.
        const isExact = partial === 'honoured' || (continuing === 'exactly' && whole === PROSE);
        if (!isWhole && ((isExact && whole !== SENTENCES) || !isTyped))
          wrong.push({ cut, endpoint, partial, ...heard });
      }
      expect(wrong).toEqual([]);
    },
  );
});

/** White space that was added within the first word of an answer cannot be known. */
function isSameText(text: string, whole: string): boolean {
  const blankless = (each: string) => each.replaceAll(/\s/gu, '');
  return text === whole || blankless(text) === blankless(whole);
}
