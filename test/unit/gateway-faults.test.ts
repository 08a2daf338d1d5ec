import { describe, expect } from 'vitest';
import { FRAME_FAULTS } from '../../emulator/faults.ts';
import { createVendors } from '../../emulator/vendors.ts';
import { askingJson, CHAT, NUMBERS } from '../cases/ask-classes.ts';
import { leaderOf } from '../cases/ask-fault-row.ts';
import { wrongForm } from '../cases/gateway-fault-check.ts';
import { gatewayFaultCases } from '../cases/gateway-fault-table.ts';
import { bodyOf } from '../cases/gateway-requests.ts';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import type { Sent } from '../cases/gateway-client.ts';
import { ADD, user } from '../cases/provider-requests.ts';
import { verifies } from '../verifies.ts';

const suite = gatewaySuite();
const SHAPES = ['openai', 'anthropic'] as const;
const KIMI = { ...CHAT.request, model: 'kimi-k3' };
const GLM = { ...CHAT.request, model: 'glm-4.7-flash' };
const CALLS = '[[call add_numbers {"a":1,"b":2}]] [[call add_numbers {"a":3,"b":4}]]';
/** So many events that some of the numbers are among them, and far from all. */
const MIDDLE = 14;

const classOf = ({ read }: Sent) => (read.end === 'whole' ? 'ok' : read.failure?.class);
const cut = (vendor: string, after: number, times = 1) => ({
  id: 'F5.cut',
  vendor,
  path: 'chat',
  after,
  times,
});

describe('the table of faults against the gateway', () => {
  /**
   * F9 is prevented, see the tables of the providers; F15 is about uploads, and chats upload
   * nothing.
   */
  const ELSEWHERE = ['F9', 'F15'];

  verifies('gateway:faults', 'has every fault of the list that chats can meet', () => {
    const rows = new Set([
      ...gatewayFaultCases('openai').map(({ row }) => row.fault),
      ...ELSEWHERE,
    ]);
    const listed = Array.from({ length: 16 }, (_, at) => `F${at + 1}`);
    expect(listed.filter((fault) => !rows.has(fault))).toEqual([]);
  });

  verifies(
    'gateway:faults',
    'has the eleven faults of streams, where somebody else answers',
    () => {
      const met = new Set(
        gatewayFaultCases('openai')
          .filter(({ delivery }) => delivery === 'stream')
          .map(({ row: { plan } }) => (plan.after === 0 ? `${plan.id} at once` : plan.id)),
      );
      const eleven = [
        'F4.500',
        'F1',
        'F5.silent',
        'F5.cut at once',
        'F5.headers',
        'F11.error at once',
        'F5.cut',
        'F5.end',
        'F5.stall',
        'F11.error',
        'F6.malformed',
      ];
      expect(eleven.filter((fault) => !met.has(fault))).toEqual([]);
    },
  );

  verifies(
    'gateway:faults',
    'has whatever the emulator can do to Kimi and GLM in the course of a chat',
    () => {
      /**
       * A pace, any code, files, names without their kind; and forms of a schema’s failure that GLM
       * stands for. Calls of tools that nobody offered are in gateway-tools.test.ts.
       */
      const known = /^slow$|^F8\.unknown$|^code$|^F15|^F12$|^kimi F12\./;
      const cases = gatewayFaultCases('openai');
      const missing = createVendors().flatMap(({ name, faults }) => {
        if (name !== 'kimi' && name !== 'glm') return [];
        const met = cases
          .filter(({ chain }) => leaderOf(chain) === name)
          .map(({ row }) => row.plan.id);
        return [...Object.keys(faults), ...Object.keys(FRAME_FAULTS)]
          .filter((id) => !met.includes(id) && !known.test(id) && !known.test(`${name} ${id}`))
          .map((id) => `${name} ${id}`);
      });
      expect(missing).toEqual([]);
    },
  );
});

const BREAKS = ['F5.cut', 'F5.end', 'F11.error'] as const;

describe.each(SHAPES)('cut anywhere, as a client of %s sees it', (shape) => {
  /**
   * Before the first word and in it, one after the other; then here and there, and behind the end.
   */
  const CUTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 19, 30, 41, 52, 63, 74, 80, 85];

  for (const id of BREAKS)
    verifies('gateway:survives', `a text is whole all the same, once: ${id}`, async () => {
      for (const after of CUTS) {
        const rig = await suite.rig();
        suite.harness().emulator.fault({ id, vendor: 'kimi', path: 'chat', after });
        const sent = await rig.send({ shape, body: bodyOf(shape, KIMI, 'stream') });
        const wrong = wrongForm(sent, NUMBERS);
        expect({ after, end: classOf(sent), wrong }).toEqual({ after, end: 'ok', wrong: [] });
      }
    });

  for (const id of BREAKS)
    verifies(
      'gateway:interrupted',
      `with x-exai-continue: false it ends as interrupted once something was told: ${id}`,
      async () => {
        const ends = new Set<string>();
        for (const after of CUTS) {
          const rig = await suite.rig();
          suite.harness().emulator.fault({ id, vendor: 'kimi', path: 'chat', after });
          const body = bodyOf(shape, KIMI, 'stream');
          const sent = await rig.send({ shape, body, headers: { 'x-exai-continue': 'false' } });
          expect({ after, wrong: wrongForm(sent, NUMBERS) }).toEqual({ after, wrong: [] });
          expect([sent.status, sent.read.choices[0]?.text === '']).toEqual([200, false]);
          expect(sent.read.exai?.['seams'] ?? []).toEqual([]);
          ends.add(String(classOf(sent)));
        }
        expect(ends).toEqual(new Set(['ok', 'interrupted']));
      },
    );

  for (const id of BREAKS)
    verifies('gateway:whole-calls', `tool calls are whole all the same: ${id}`, async () => {
      const request = { ...KIMI, tools: [ADD], messages: user(`[[think 2]] ${CALLS}`) };
      for (const after of CUTS) {
        const rig = await suite.rig();
        suite.harness().emulator.fault({ id, vendor: 'kimi', path: 'chat', after });
        const sent = await rig.send({ shape, body: bodyOf(shape, request, 'stream') });
        const written = sent.read.choices[0]?.calls.map((call) => call.arguments);
        const wrong = wrongForm(sent, '');
        expect({ after, end: classOf(sent), wrong, written }).toEqual({
          after,
          end: 'ok',
          wrong: [],
          written: ['{"a":1,"b":2}', '{"a":3,"b":4}'],
        });
      }
    });

  for (const id of BREAKS)
    verifies(
      'gateway:interrupted',
      `streamed tool calls are whole, or interrupted once an argument was told: ${id}`,
      async () => {
        const request = { ...KIMI, tools: [ADD], messages: user(`[[think 2]] ${CALLS}`) };
        const WRITTEN = ['{"a":1,"b":2}', '{"a":3,"b":4}'];
        const ends: string[] = [];
        for (const after of CUTS) {
          const rig = await suite.rig();
          suite.harness().emulator.fault({ id, vendor: 'kimi', path: 'chat', after });
          const body = bodyOf(shape, request, 'stream');
          const headers = { 'x-exai-stream-tools': 'true' };
          const sent = await rig.send({ shape, body, headers });
          expect({ after, wrong: wrongForm(sent, '') }).toEqual({ after, wrong: [] });
          const calls = sent.read.choices[0]?.calls ?? [];
          const written = calls.map((call) => call.arguments);
          expect(sent.read.end === 'whole' ? written : WRITTEN).toEqual(WRITTEN);
          expect(written.join('')).not.toBe('');
          ends.push(String(classOf(sent)));
        }
        // Asked anew as long as nothing was told, then interrupted, then over before it could be
        // cut.
        expect(ends.join()).toMatch(/^(?:ok,)+(?:interrupted,)+ok/);
      },
    );

  verifies('gateway:survives', 'an object is whole all the same', async () => {
    const { request, text } = askingJson({ ...CHAT, request: KIMI });
    for (const after of CUTS.slice(0, 12)) {
      const rig = await suite.rig();
      suite.harness().emulator.fault(cut('kimi', after));
      const sent = await rig.send({ shape, body: bodyOf(shape, request, 'stream') });
      expect({ after, wrong: wrongForm(sent, text) }).toEqual({ after, wrong: [] });
      expect(classOf(sent)).toBe('ok');
    }
  });

  verifies(
    'gateway:held-head',
    'thoughts of one who died thinking are not told with those of another',
    async () => {
      const messages = user(`[[think 30]] Say exactly: """${NUMBERS}"""`);
      const thinking =
        shape === 'openai' ? {} : { thinking: { type: 'enabled', budget_tokens: 2048 } };
      const rig = await suite.rig();
      suite.harness().emulator.fault(cut('kimi', 9, 0));
      const body = { ...bodyOf(shape, { ...KIMI, messages }, 'stream'), ...thinking };
      const sent = await rig.send({ shape, body });
      expect(wrongForm(sent, NUMBERS)).toEqual([]);
      const { reasoning = '' } = sent.read.choices[0] ?? {};
      expect(['', 30]).toContain(reasoning === '' ? '' : reasoning.split(' ').length);
    },
  );
});

describe.each(SHAPES)('what a client of %s may wish', (shape) => {
  verifies(
    'gateway:faults',
    'x-exai-fallback: none leaves it to the first, and its own class is told',
    async () => {
      const rig = await suite.rig();
      suite.harness().emulator.fault({ id: 'F10', vendor: 'glm', path: 'chat', times: 0 });
      for (const delivery of ['whole', 'stream'] as const) {
        const body = bodyOf(shape, GLM, delivery);
        const sent = await rig.send({ shape, body, headers: { 'x-exai-fallback': 'none' } });
        expect(wrongForm(sent, NUMBERS)).toEqual([]);
        expect(sent.status).toBeGreaterThanOrEqual(400);
        expect(['not_found', 'breaker_open']).toContain(classOf(sent));
      }
      expect(rig.chats('kimi')).toEqual([]);
    },
  );

  verifies(
    'gateway:faults',
    'the reason of a fallback names who failed and how, whoever failed after it',
    async () => {
      for (const delivery of ['whole', 'stream'] as const) {
        const rig = await suite.rig();
        const { emulator } = suite.harness();
        emulator.fault({ id: 'F16', vendor: 'kimi', path: 'chat', times: 0 });
        emulator.fault({ id: 'F4.504', vendor: 'glm', path: 'chat', times: 0 });
        const sent = await rig.send({ shape, body: bodyOf(shape, KIMI, delivery) });
        expect(wrongForm(sent, NUMBERS)).toEqual([]);
        expect(sent.headers['x-exai-fallback-reason']).toBe('kimi/kimi-k3 auth');
      }
    },
  );

  verifies('gateway:held-head', 'nobody is told what nobody set up', async () => {
    const harness = await suite.another({ providers: [] });
    const rig = await harness.rig();
    for (const delivery of ['whole', 'stream'] as const) {
      const sent = await rig.send({ shape, body: bodyOf(shape, CHAT.request, delivery) });
      expect(wrongForm(sent, '')).toEqual([]);
      expect([sent.status, classOf(sent)]).toEqual([503, 'not_configured']);
      expect(sent.read.failure?.message).toContain('exai keys add');
    }
  });
});

verifies('gateway:survives', 'of several answers each is whole, though one broke off', async () => {
  const rig = await suite.rig();
  suite.harness().emulator.fault(cut('kimi', MIDDLE));
  const body = { ...bodyOf('openai', KIMI, 'stream'), n: 3 };
  const sent = await rig.send({ shape: 'openai', body });
  expect(wrongForm(sent, NUMBERS)).toEqual([]);
  expect(sent.read.choices.map(({ text }) => text)).toEqual([NUMBERS, NUMBERS, NUMBERS]);
  expect(await rig.held()).toEqual([]);
});
