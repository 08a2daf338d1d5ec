import { describe, expect } from 'vitest';
import { wrongForm } from '../cases/gateway-fault-check.ts';
import { bodyOf } from '../cases/gateway-requests.ts';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import { ADD, user } from '../cases/provider-requests.ts';
import { verifies } from '../verifies.ts';

const suite = gatewaySuite();
const SHAPES = ['openai', 'anthropic'] as const;
const KIMI_MODELS = ['kimi-k3', 'kimi-k2.6', 'kimi-k2.7-code'] as const;
const LONG = JSON.stringify({ a: 1, b: 2, note: 'word '.repeat(600) });

/** The texts of the deltas of tool arguments in a stream. */
function deltasOf(body: string): readonly string[] {
  const of = /"(?:partial_json|arguments)":("(?:[^"\\]|\\.)*")/g;
  return [...body.matchAll(of)].map(([, text = '""']) => JSON.parse(text) as string);
}

describe.each(SHAPES)('tool calls to a client of %s', (shape) => {
  verifies('gateway:whole-calls', 'come in pieces when they are complete', async () => {
    const rig = await suite.rig();
    const request = {
      model: 'kimi-k3',
      tools: [ADD],
      messages: user(`[[think 2]] [[call add_numbers ${LONG}]]`),
    };
    const sent = await rig.send({ shape, body: bodyOf(shape, request, 'stream') });
    expect(wrongForm(sent, '')).toEqual([]);
    const deltas = deltasOf(sent.body).filter((text) => text !== '');
    expect(deltas.join('')).toBe(LONG);
    expect(deltas.length).toBeGreaterThan(3);
    expect(Math.max(...deltas.map(({ length }) => length))).toBeLessThan(600);
  });

  verifies(
    'gateway:stream-tools',
    'are streamed as they are written where it wants that',
    async () => {
      const rig = await suite.rig();
      const request = {
        model: 'kimi-k3',
        tools: [ADD],
        messages: user(`[[think 2]] [[call add_numbers ${LONG}]]`),
      };
      const body = bodyOf(shape, request, 'stream');
      const beta = { 'anthropic-beta': 'a-1,fine-grained-tool-streaming-2025-05-14' };
      const ways = [
        { body, headers: { 'x-exai-stream-tools': 'true' } },
        { body: { ...body, exai: { stream_tools: true } } },
        ...(shape === 'anthropic' ? [{ body, headers: beta }] : []),
      ];
      const held = ways.length;
      for (const way of [
        ...ways,
        { body },
        { body: { ...body, exai: { stream_tools: false } }, headers: beta },
        { body, headers: { ...beta, 'x-exai-stream-tools': 'false' } },
      ]) {
        suite.harness().emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', after: 30 });
        const sent = await rig.send({ shape, ...way });
        const isStreamed = ways.slice(0, held).includes(way as (typeof ways)[number]);
        expect(sent.read.end === 'whole').toBe(!isStreamed);
      }
    },
  );
});

describe.each(SHAPES)('arguments that are not JSON, to a client of %s', (shape) => {
  const BROKEN = '{"a":1,"b":"say "hi" now"}';
  const request = (text: string) => ({ model: 'kimi-k3', tools: [ADD], messages: user(text) });

  for (const delivery of ['stream', 'whole'] as const)
    verifies(
      'gateway:unreadable-calls',
      `are asked for once more, then passed with a notice, ${delivery}`,
      async () => {
        const rig = await suite.rig();
        for (let times = 0; times < 6; times++) {
          const body = bodyOf(shape, request(`[[call add_numbers ${BROKEN}]]`), delivery);
          const sent = await rig.send({ shape, body });
          expect(sent.read).toMatchObject({
            end: 'whole',
            choices: [{ calls: [{ name: 'add_numbers' }] }],
          });
          const written = sent.read.choices[0]?.calls[0]?.arguments ?? '';
          const raw = shape === 'openai' ? written : (JSON.parse(written) as { _raw: string })._raw;
          expect(raw).toBe(BROKEN);
          expect(sent.read.exai?.['notices']).toContainEqual(
            expect.stringContaining('arguments for add_numbers that are not a JSON object'),
          );
          // The breaker of the model stays closed, however often this happens.
          expect(sent.read.exai?.['attempts']).toMatchObject([
            { model: 'kimi-k3', outcome: 'bad_response' },
            { model: 'kimi-k3', outcome: 'ok' },
          ]);
        }
      },
    );

  verifies('gateway:unreadable-calls', 'are repaired where that is safe', async () => {
    const rig = await suite.rig();
    const sent = await rig.send({
      shape,
      body: bodyOf(shape, request('[[call add_numbers {"a":1,"b":2,}]]'), 'stream'),
    });
    expect(sent.read.choices[0]?.calls.map((call) => call.arguments)).toEqual(['{"a":1,"b":2}']);
    expect(sent.read.exai).toMatchObject({ attempts: [{ outcome: 'ok' }] });
    expect(sent.read.exai?.['notices'] ?? []).toEqual([]);
  });
});

describe.each(SHAPES)('a forced tool, for a client of %s', (shape) => {
  const forced =
    shape === 'openai'
      ? ['required', { type: 'function', function: { name: ADD.name } }]
      : [{ type: 'any' }, { type: 'tool', name: ADD.name }];

  for (const model of KIMI_MODELS)
    verifies('gateway:forced-tools', `is called by ${model}`, async () => {
      for (const choice of forced) {
        const rig = await suite.rig();
        const request = { model, tools: [ADD], messages: user('Use add_numbers: 1 and 2') };
        const body = { ...bodyOf(shape, request, 'whole'), tool_choice: choice };
        const sent = await rig.send({ shape, body, headers: { 'x-exai-fallback': 'none' } });
        expect(sent.read.choices[0]?.calls.map(({ name }) => name)).toEqual([ADD.name]);
      }
    });

  verifies('gateway:forced-tools', 'is never answered in words by Kimi', async () => {
    for (const model of KIMI_MODELS) {
      const rig = await suite.rig();
      suite.harness().emulator.fault({ id: 'F21', vendor: 'kimi', path: 'chat', times: 0 });
      const request = { model, tools: [ADD], messages: user('Hello there.') };
      const body = { ...bodyOf(shape, request, 'stream'), tool_choice: forced[0] };
      const sent = await rig.send({ shape, body, headers: { 'x-exai-fallback': 'none' } });
      expect([sent.status, sent.read.choices]).toEqual([502, []]);
    }
  });
});

describe.each(SHAPES)('calls that a client of %s cannot make', (shape) => {
  const CALL = '[[call erase {}]]';
  for (const delivery of ['stream', 'whole'] as const)
    verifies('gateway:callable', `are never passed, ${delivery}`, async () => {
      const rig = await suite.rig();
      for (const request of [
        { model: 'kimi-k3', messages: user(CALL) },
        { model: 'kimi-k3', tools: [ADD], messages: user(CALL) },
      ]) {
        const sent = await rig.send({ shape, body: bodyOf(shape, request, delivery) });
        expect(sent.status).toBe(502);
        expect(sent.body).toContain('It called erase, but the request has no ');
      }
      expect(rig.chats().length).toBeGreaterThan(2);
      await rig.close();
    });
});
