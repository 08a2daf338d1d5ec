import { describe, expect } from 'vitest';
import { CHAT, NUMBERS, QUESTION_MARK } from '../cases/ask-classes.ts';
import type { Sent } from '../cases/gateway-client.ts';
import { wrongForm } from '../cases/gateway-fault-check.ts';
import { bodyOf } from '../cases/gateway-requests.ts';
import { allFail, gatewaySuite } from '../cases/gateway-suite.ts';
import { user } from '../cases/provider-requests.ts';
import { verifies } from '../verifies.ts';

const suite = gatewaySuite();
const SHAPES = ['openai', 'anthropic'] as const;
const KIMI = { ...CHAT.request, model: 'kimi-k3' };
const GLM = { ...CHAT.request, model: 'glm-4.7-flash' };
/** So many events that some of the numbers are among them, and far from all. */
const MIDDLE = 14;

const classOf = ({ read }: Sent) => (read.end === 'whole' ? 'ok' : read.failure?.class);

const SHORT = { firstTokenMs: 300, idleMs: 300 };
const settings = { budget: { clientDailyUsd: 1000 }, gateway: { timeoutMs: 3000 } };
const BOTH = ['whole', 'stream'] as const;

// Each in a harness of its own, where nothing happens until time is over: these wait together.
describe.concurrent.each(SHAPES)('silence of everybody, as a client of %s hears it', (shape) => {
  for (const id of ['F5.silent', 'F5.headers'])
    verifies('gateway:held-head', `ends in time: ${id}`, async ({ onTestFinished }) => {
      const ends = BOTH.map(async (delivery) => {
        const harness = await suite.another({ settings }, onTestFinished);
        const rig = await harness.rig({ patience: SHORT });
        allFail(harness, id);
        const sent = await rig.send({ shape, body: bodyOf(shape, CHAT.request, delivery) });
        expect(wrongForm(sent, '')).toEqual([]);
        expect(['timeout', 'exhausted_fallback_chain']).toContain(classOf(sent));
        expect(sent.status).toBeGreaterThanOrEqual(500);
        expect(await rig.held()).toEqual([]);
      });
      await Promise.all(ends);
    });

  verifies(
    'gateway:late-head',
    'after the head was sent is told within the stream',
    async ({ onTestFinished }) => {
      const harness = await suite.another(
        { settings: { ...settings, gateway: { timeoutMs: 3000, headHoldMs: 100 } } },
        onTestFinished,
      );
      const rig = await harness.rig({ patience: SHORT });
      allFail(harness, 'F5.silent');
      const sent = await rig.send({ shape, body: bodyOf(shape, KIMI, 'stream') });
      expect([sent.status, sent.read.end, sent.ended]).toEqual([200, 'failed', 'properly']);
      expect(sent.read.wrong).toEqual([]);
      expect(['timeout', 'exhausted_fallback_chain', 'interrupted']).toContain(classOf(sent));
      expect(await rig.held()).toEqual([]);
    },
  );
});

describe.each(SHAPES)('silence, as a client of %s hears it', (shape) => {
  verifies(
    'gateway:interrupted',
    'of everybody in the middle is interrupted, in time',
    async () => {
      const harness = await suite.another({ settings });
      const rig = await harness.rig({ patience: SHORT });
      // Each says hardly a word before it falls silent.
      allFail(harness, 'F5.stall', 5);
      const sent = await rig.send({ shape, body: bodyOf(shape, GLM, 'stream') });
      expect(wrongForm(sent, NUMBERS)).toEqual([]);
      expect(classOf(sent)).toBe('interrupted');
      expect(await rig.held()).toEqual([]);
    },
  );

  verifies(
    'gateway:interrupted',
    'is no part of an answer that takes longer than it may, and that is told, too',
    async () => {
      const harness = await suite.another({ settings: { gateway: { timeoutMs: 1000 } } });
      const rig = await harness.rig();
      const pace = { firstMs: 0, chunkMs: 50 };
      harness.emulator.fault({ id: 'slow', vendor: 'kimi', path: 'chat', with: pace });
      const sent = await rig.send({ shape, body: bodyOf(shape, KIMI, 'stream') });
      expect(wrongForm(sent, NUMBERS)).toEqual([]);
      expect(classOf(sent)).toBe('interrupted');
      expect(await rig.held()).toEqual([]);
    },
  );

  verifies(
    'gateway:late-head',
    'longer than the head is held brings signs of life, then the answer of another',
    async () => {
      const harness = await suite.another({
        settings: { ...settings, gateway: { timeoutMs: 20_000, headHoldMs: 100 } },
      });
      const rig = await harness.rig({ patience: { firstTokenMs: 600, idleMs: 600 } });
      harness.emulator.fault({ id: 'F5.silent', vendor: 'kimi', path: 'chat', times: 0 });
      const sent = await rig.send({ shape, body: bodyOf(shape, KIMI, 'stream') });
      expect(wrongForm(sent, NUMBERS)).toEqual([]);
      expect(classOf(sent)).toBe('ok');
      expect(sent.read.exai).toMatchObject({
        provider: 'glm',
        attempts: [{ outcome: 'timeout' }, {}],
      });
      expect(await rig.held()).toEqual([]);
    },
  );
});

describe.each(SHAPES)('a client of %s that hangs up', (shape) => {
  const THINKING = {
    ...KIMI,
    messages: user(`[[think 400]] My ${QUESTION_MARK}. Say exactly: """${NUMBERS}"""`),
  };

  for (const delivery of ['whole', 'stream'] as const)
    verifies(
      'gateway:disconnect',
      `before the head: the vendor is let go at once (${delivery})`,
      async () => {
        const rig = await suite.rig();
        suite.harness().emulator.fault({ id: 'F5.silent', vendor: 'kimi', path: 'chat' });
        const stream = rig.open({ shape, body: bodyOf(shape, KIMI, delivery) });
        stream.head.catch(() => undefined);
        await expect.poll(() => rig.chats('kimi').length).toBe(1);
        stream.leave();
        await expect.poll(() => rig.chats('kimi').every(({ left }) => left)).toBe(true);
        expect(await rig.held()).toEqual([]);
        expect(rig.chats()).toHaveLength(1);
      },
    );

  verifies('gateway:disconnect', 'while the model thinks', async () => {
    const rig = await suite.rig();
    suite.harness().emulator.fault({
      id: 'slow',
      vendor: 'kimi',
      path: 'chat',
      with: { firstMs: 0, chunkMs: 20 },
    });
    const stream = rig.open({ shape, body: bodyOf(shape, THINKING, 'stream') });
    stream.head.catch(() => undefined);
    await expect.poll(() => rig.chats('kimi').length).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    stream.leave();
    await expect.poll(() => rig.chats('kimi').every(({ left }) => left)).toBe(true);
    expect(await rig.held()).toEqual([]);
    expect(rig.chats()).toHaveLength(1);
  });

  verifies(
    'gateway:disconnect',
    'after the head, in the middle of the answer: and that is what the record says',
    async () => {
      const rig = await suite.rig();
      suite.harness().emulator.fault({
        id: 'slow',
        vendor: 'kimi',
        path: 'chat',
        with: { firstMs: 0, chunkMs: 20 },
      });
      const stream = rig.open({ shape, body: bodyOf(shape, KIMI, 'stream') });
      const { headers } = await stream.head;
      await stream.until('10');
      stream.leave();
      await expect.poll(() => rig.chats('kimi').every(({ left }) => left)).toBe(true);
      const reqId = String(headers['x-exai-req-id']);
      await expect
        .poll(async () => (await rig.calls(reqId)).map(({ errorClass }) => errorClass))
        .toEqual(['cancelled']);
      expect(await rig.held()).toEqual([]);
      expect((await rig.attempts(reqId)).map(({ outcome }) => outcome)).toEqual(['cancelled']);
      expect(rig.chats()).toHaveLength(1);
    },
  );
});

describe.each(SHAPES)('a client of %s that reads slowly', (shape) => {
  verifies('gateway:slow-reader', 'gets all of it in the end', async () => {
    const rig = await suite.rig();
    const request = { ...KIMI, messages: user('[[think 2]] [[tokens 8000]]') };
    const stream = rig.open({ shape, body: bodyOf(shape, request, 'stream') });
    const { headers } = await stream.head;
    await stream.until('amber');
    stream.pause();
    // The vendor has said all of it, and the call is over, while most of it is unread.
    const reqId = String(headers['x-exai-req-id']);
    await expect.poll(async () => (await rig.calls(reqId)).length).toBe(1);
    stream.resume();
    const sent = await stream.over;
    expect(
      wrongForm(
        sent,
        `${'amber birch cedar dune ember fern grove heath iris jade '.repeat(800)}`.trim(),
      ),
    ).toEqual([]);
    expect(classOf(sent)).toBe('ok');
    expect(await rig.held()).toEqual([]);
  });
});

describe.each(SHAPES)('when the daemon stops, a client of %s', (shape) => {
  verifies('gateway:drain', 'hears of it within the stream, and the vendor is let go', async () => {
    const harness = await suite.another({});
    const rig = await harness.rig();
    harness.emulator.fault({ id: 'F5.stall', vendor: 'kimi', path: 'chat', after: MIDDLE });
    const stream = rig.open({ shape, body: bodyOf(shape, KIMI, 'stream') });
    await stream.until('10');
    await rig.drain(50);
    const sent = await stream.over;
    expect(wrongForm(sent, NUMBERS)).toEqual([]);
    expect(classOf(sent)).toBe('interrupted');
    await expect.poll(() => rig.chats('kimi').every(({ left }) => left)).toBe(true);
    expect(await rig.held()).toEqual([]);
  });

  verifies('gateway:held-head', 'hears of it before the head, too, by the status', async () => {
    const harness = await suite.another({});
    const rig = await harness.rig();
    // Both are met with silence, so that neither has a head when the daemon stops.
    harness.emulator.fault({ id: 'F5.silent', vendor: 'kimi', path: 'chat', times: 0 });
    const waiting = (['whole', 'stream'] as const).map((delivery) => {
      const stream = rig.open({ shape, body: bodyOf(shape, KIMI, delivery) });
      stream.head.catch(() => undefined);
      return stream;
    });
    await expect.poll(() => rig.chats('kimi').length).toBe(2);
    await rig.drain(50);
    for (const { over } of waiting) {
      const sent = await over;
      expect(wrongForm(sent, NUMBERS)).toEqual([]);
      expect(`${sent.status} ${classOf(sent)}`).toBe('502 interrupted');
    }
    expect(await rig.held()).toEqual([]);
  });
});
