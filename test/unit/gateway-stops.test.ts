import { describe, expect } from 'vitest';
import { NUMBERS } from '../cases/ask-classes.ts';
import { wrongForm } from '../cases/gateway-fault-check.ts';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import { eventually } from '../eventually.ts';
import { verifies } from '../verifies.ts';

const suite = gatewaySuite();
const MODELS = ['kimi-k3', 'kimi-k2.6', 'glm-4.7-flash'] as const;
const DELIVERIES = ['stream', 'whole'] as const;
const messages = [{ role: 'user', content: `Say exactly: """${NUMBERS}"""` }];
/** Within Kimi's limit of 32 bytes, beyond it, and texts that never come. */
const STOPS = ['never', '45,46', '27,28,29,30,31,32,33,34,35,36,37,38', 'nowhere'];
const UP_TO_27 = NUMBERS.slice(0, NUMBERS.indexOf('27,'));

function openai(model: string, delivery: string, stop: unknown) {
  return {
    shape: 'openai',
    body: { model, messages, stop, stream: delivery === 'stream' },
  } as const;
}

function anthropic(model: string, delivery: string, stops: readonly string[]) {
  const body = { model, messages, max_tokens: 4096, stream: delivery === 'stream' };
  return { shape: 'anthropic', body: { ...body, stop_sequences: stops } } as const;
}

/** The last JSON of a response that has a stop reason. */
function stopOf(body: string) {
  const reason = /"stop_reason":"(\w+)"/.exec(body)?.[1];
  const sequence = [...body.matchAll(/"stop_sequence":(null|"[^"]*")/g)].at(-1)?.[1] ?? '';
  return { reason, sequence: JSON.parse(sequence) as unknown };
}

describe.each(MODELS)('stop texts at %s', (model) => {
  for (const delivery of DELIVERIES)
    verifies(
      'gateway:stop-texts',
      `of the OpenAI API, ${delivery}: four, and long ones`,
      async () => {
        const rig = await suite.rig();
        const sent = await rig.send({
          ...openai(model, delivery, STOPS),
          headers: { 'x-exai-fallback': 'none' },
        });
        expect(wrongForm(sent, UP_TO_27)).toEqual([]);
        expect(sent.read.choices[0]?.finish).toBe('stop');
        expect(sent.read.exai).toMatchObject({ model, attempts: [{ outcome: 'ok' }] });
      },
    );

  for (const delivery of DELIVERIES)
    verifies(
      'gateway:stop-texts',
      `of the Anthropic API, ${delivery}: up to 64, and the one that ended the answer is named`,
      async () => {
        const rig = await suite.rig();
        const many = [...Array.from({ length: 63 }, (_, at) => `never ${at}`), '22,23'];
        const sent = await rig.send({
          ...anthropic(model, delivery, many),
          headers: { 'x-exai-fallback': 'none' },
        });
        expect(sent.read.choices[0]?.text).toBe(NUMBERS.slice(0, NUMBERS.indexOf('22,23')));
        expect(stopOf(sent.body)).toEqual({ reason: 'stop_sequence', sequence: '22,23' });
        expect(sent.read.usage?.output).toBeGreaterThan(0);
        const none = await rig.send(anthropic(model, delivery, ['never']));
        expect(none.read.choices[0]?.text).toBe(NUMBERS);
        expect(stopOf(none.body)).toEqual({ reason: 'end_turn', sequence: null });
      },
    );
});

verifies('gateway:stop-texts', 'the vendor gets what it takes of them', async () => {
  const rig = await suite.rig();
  await rig.send(openai('kimi-k2.6', 'stream', STOPS));
  await rig.send(openai('glm-4.7-flash', 'stream', STOPS));
  await rig.send(anthropic('kimi-k2.6', 'stream', STOPS));
  const sent = rig.chats().map(({ body }) => (body as { stop?: unknown }).stop);
  expect(sent).toEqual([['never', '45,46', 'nowhere'], ['never'], undefined]);
});

verifies('gateway:stop-texts', 'the vendor is left at the stop text', async () => {
  const rig = await suite.rig();
  const pace = { id: 'slow', with: { chunkMs: 20 } };
  suite.harness().emulator.fault({ ...pace, vendor: 'glm', path: 'chat' });
  await rig.send(anthropic('glm-4.7-flash', 'stream', ['12,']));
  await eventually(() => rig.chats('glm')[0]?.left === true);
  expect(await rig.held()).toEqual([]);
});

verifies('gateway:stop-texts', 'a text that begins with one is an empty answer', async () => {
  for (const delivery of DELIVERIES) {
    const rig = await suite.rig();
    const sent = await rig.send(anthropic('glm-4.7-flash', delivery, ['10,']));
    expect(sent.read.end).toBe('whole');
    expect(sent.read.choices[0]?.text ?? '').toBe('');
    expect(stopOf(sent.body)).toEqual({ reason: 'stop_sequence', sequence: '10,' });
    const chat = await rig.send(openai('glm-4.7-flash', delivery, ['never', '10,']));
    expect(chat.read).toMatchObject({ end: 'whole', choices: [{ text: '', finish: 'stop' }] });
  }
});

describe.each(['openai', 'anthropic'] as const)('a cut stream of %s', (shape) => {
  verifies('gateway:stop-texts', 'ends at a stop text after the seam, or across it', async () => {
    for (const stop of ['34,35,36', '20,21,22,23,24,25,26,27,28,29'])
      for (const after of [6, 10, 17, 24, 31, 45]) {
        const rig = await suite.rig();
        suite.harness().emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', after });
        const request = shape === 'openai' ? openai : anthropic;
        const sent = await rig.send(request('kimi-k3', 'stream', ['never', 'nowhere', stop]));
        const expected = NUMBERS.slice(0, NUMBERS.indexOf(stop));
        const { read, body } = sent;
        expect({ stop, after, end: read.end, text: read.choices[0]?.text }).toEqual({
          stop,
          after,
          end: 'whole',
          text: expected,
        });
        if (shape === 'anthropic') {
          expect(stopOf(body)).toEqual({ reason: 'stop_sequence', sequence: stop });
        }
      }
  });
});
