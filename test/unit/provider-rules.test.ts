import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { collectChat } from '../collect-chat.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createVendorLimit } from '#app/providers/vendor-limit.ts';
import { KIMI_RULES } from '../cases/provider-kimi-rules.ts';
import { png } from '../cases/provider-png.ts';
import { FIVE, user } from '../cases/provider-requests.ts';
import { KIMI } from '../cases/provider-subjects.ts';
import { openProvider, type OpenProvider } from '../cases/provider-under-test.ts';
import { verifies } from '../verifies.ts';

describe('F9: what Kimi refuses with 400 is not sent', () => {
  let harness: OpenProvider;
  beforeAll(async () => {
    harness = await openProvider(KIMI);
  });
  beforeEach(() => harness.reset());
  afterAll(() => harness.close());

  for (const { rule, request, sent, equals, refused, alone } of KIMI_RULES) {
    verifies('provider:facts', rule, async () => {
      const outcome = await collectChat(
        harness.provider.chat(
          { model: KIMI.model, delivery: 'whole', messages: user(FIVE), ...request },
          harness.context(),
        ),
      );
      if (refused !== undefined) {
        expect(outcome).toMatchObject({
          is: 'failed',
          error: {
            class: alone ? 'bad_request' : 'validation',
            field: refused,
            fix: expect.stringMatching(/\w/) as unknown,
          },
        });
        expect(harness.received()).toEqual([]);
        return;
      }
      expect(outcome).toMatchObject({ is: 'answered' });
      expect(harness.received().map(({ status }) => status)).toEqual(
        harness.received().map(() => 200),
      );
      expect(sent?.(harness.bodies()[0] ?? {})).toEqual(equals);
    });
  }

  verifies(
    'provider:facts',
    'unsupported image url: an http address is fetched and sent as bytes',
    async () => {
      const bytes = png(12, 10);
      const server = createServer((_, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        response.end(bytes);
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const open = await openProvider(KIMI, { allowPrivate: [host] });
      try {
        const image = { type: 'image', source: { url: `http://${host}/a.png` } } as const;
        const outcome = await collectChat(
          open.provider.chat(
            { model: KIMI.model, delivery: 'whole', messages: user([image]) },
            open.context(),
          ),
        );
        expect(outcome.answer.text).toBe(
          `I was given 1 image (image/png, ${bytes.length} bytes, 12 x 10 pixels).`,
        );
        expect(JSON.stringify(open.bodies())).toContain(
          `data:image/png;base64,${bytes.toString('base64')}`,
        );
        expect(JSON.stringify(open.bodies())).not.toContain(host);
      } finally {
        await open.close();
        server.close();
        server.closeAllConnections();
      }
    },
  );

  for (const rounds of [1, 2, 3])
    verifies(
      'provider:faults',
      `F14: a search of ${rounds} rounds is handed back unchanged`,
      async () => {
        const outcome = await collectChat(
          harness.provider.chat(
            {
              model: KIMI.model,
              delivery: 'stream',
              messages: user(`Search the web for the rocket Heron. [[search ${rounds}]]`),
              webSearch: { maxRounds: 5 },
            },
            harness.context(),
          ),
        );
        expect(outcome).toMatchObject({ is: 'answered', finish: 'stop' });
        expect(outcome.answer.text).toMatch(new RegExp(`^From ${rounds} web search(es)? about `));
        expect(harness.bodies()).toHaveLength(rounds + 1);
      },
    );
});

describe('F20: an account that takes one request at a time', () => {
  const TIER_0 = { ...KIMI, key: 'sk-tier0-0123456789-kimi' };

  verifies('provider:faults', 'with a place for one, both are answered in turn', async () => {
    const limiter = createLimiter({ capacity: () => 1, maxWaiting: 10 });
    const harness = await openProvider(TIER_0, {
      acquirePermit: createVendorLimit(limiter, 'kimi', 1_000),
    });
    const ask = () =>
      collectChat(
        harness.provider.chat(
          { model: KIMI.model, delivery: 'stream', messages: user(FIVE) },
          harness.context(),
        ),
      );
    try {
      harness.emulator.fault({
        id: 'slow',
        vendor: 'kimi',
        times: 0,
        with: { firstMs: 20, chunkMs: 1 },
      });
      const both = await Promise.all([ask(), ask()]);
      expect(both.map(({ answer }) => answer.text)).toEqual(['2 + 3 is 5.', '2 + 3 is 5.']);
      expect(harness.received().map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await harness.close();
    }
  });

  verifies('provider:faults', 'without one, the second is a rate limit with its hint', async () => {
    const harness = await openProvider(TIER_0);
    const ask = () =>
      collectChat(
        harness.provider.chat(
          { model: KIMI.model, delivery: 'stream', messages: user(FIVE) },
          harness.context(),
        ),
      );
    try {
      harness.emulator.fault({
        id: 'slow',
        vendor: 'kimi',
        times: 0,
        with: { firstMs: 50, chunkMs: 1 },
      });
      const outcomes = await Promise.all([ask(), ask()]);
      const failed = outcomes.filter((each) => each.is === 'failed');
      expect(failed).toMatchObject([{ error: { class: 'rate_limit', retryAfterMs: 1_000 } }]);
    } finally {
      await harness.close();
    }
  });
});
