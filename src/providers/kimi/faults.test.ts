import { describe, expect, test } from 'vitest';
import type { ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, modelOf, useKimiWorld, withModels } from './kimi.fixture.ts';

const world = useKimiWorld();

const TEXT = 'eins zwei drei vier 五 sechs sieben acht';
const LOOK: ChatTool = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
};

interface Row {
  readonly id: string;
  readonly errorClass: ErrorClass;
  readonly retryAfterMs?: number;
}
const REFUSED: readonly Row[] = [
  { id: 'F1', errorClass: 'rate_limit', retryAfterMs: 1_000 },
  { id: 'F2', errorClass: 'billing' },
  { id: 'F3', errorClass: 'overloaded', retryAfterMs: 1_000 },
  { id: 'F4.504', errorClass: 'timeout' },
  { id: 'F4.502', errorClass: 'provider_error' },
  { id: 'F4.500', errorClass: 'provider_error' },
  { id: 'F4.503', errorClass: 'overloaded' },
  { id: 'F5.reset', errorClass: 'network' },
  { id: 'F10', errorClass: 'not_found' },
  { id: 'F11.error', errorClass: 'provider_error' },
  { id: 'F16', errorClass: 'auth' },
  { id: 'F20', errorClass: 'rate_limit', retryAfterMs: 1_000 },
];

describe.each(['whole', 'stream'] as const)('%s', (delivery) => {
  const say = asking(`Say exactly: ${TEXT}`, { delivery });

  test.each(REFUSED)('$id is $errorClass', async ({ id, errorClass, retryAfterMs }) => {
    world.emulator.fault({ id });
    const { ask, exchanges } = world.kimi();
    const outcome = await ask(say);
    expect(outcome).toMatchObject({
      is: 'failed',
      error: { class: errorClass, retryAfterMs, provider: 'kimi', model: 'kimi-k2.6' },
      answer: { text: '' },
    });
    expect(exchanges).toMatchObject([{ outcome: errorClass }]);
    expect(await ask(say)).toMatchObject({ is: 'answered', answer: { text: TEXT } });
  });

  verifies(
    'provider:faults',
    `Kimi F13: thoughts that ate the limit of the request end as length (${delivery})`,
    async () => {
      world.emulator.fault({ id: 'F13' });
      const { ask } = world.kimi();
      const outcome = await ask({ ...say, thinking: { mode: 'on' }, maxOutputTokens: 300 });
      expect(outcome).toMatchObject({ is: 'answered', finish: 'length', answer: { text: '' } });
      expect(outcome.answer.notices.map(({ code }) => code)).toEqual(['limit_spent_on_thinking']);
      expect(world.bodies()).toHaveLength(1);
    },
  );

  test('F13 without a limit is asked again without thinking, and twice is an error', async () => {
    world.emulator.fault({ id: 'F13' });
    const { ask } = world.kimi();
    const request = { ...say, thinking: { mode: 'on' } } as const;
    expect(await ask(request)).toMatchObject({ is: 'answered', answer: { text: TEXT } });
    expect(world.bodies().map((body) => body['thinking'])).toEqual([
      { type: 'enabled' },
      { type: 'disabled' },
    ]);
    world.emulator.fault({ id: 'F13', times: 2 });
    expect(await ask(request)).toMatchObject({ is: 'failed', error: { class: 'empty_response' } });
  });

  test.each(['noid', 'noindex', 'object', 'stopfinish', 'text', 'concatenated'])(
    'F8.%s gives the call all the same',
    async (kind) => {
      world.emulator.fault({ id: `F8.${kind}` });
      const { ask } = world.kimi();
      const outcome = await ask(asking('Please look at "tea".', { delivery, tools: [LOOK] }));
      expect(outcome).toMatchObject({
        is: 'answered',
        finish: 'tool_calls',
        answer: {
          text: '',
          toolCalls: [{ name: 'look', id: expect.stringMatching(/./) as string }],
        },
      });
    },
  );

  test.each(['choice', 'top', 'missing'])(
    'F7.%s: usage is there, or marked as our estimate',
    async (kind) => {
      world.emulator.fault({ id: `F7.${kind}` });
      const { ask } = world.kimi();
      const { answer } = await ask(say);
      expect(answer.usage?.estimated).toBe(kind === 'missing');
      expect(answer.usage?.output).toBeGreaterThan(0);
    },
  );
});

describe('streams', () => {
  const say = asking(`Say exactly: ${TEXT}`, { delivery: 'stream' });

  test.each(['F5.cut', 'F5.end'])('%s keeps the text that came', async (id) => {
    world.emulator.fault({ id, after: 4 });
    const { ask } = world.kimi();
    const outcome = await ask(say);
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
    expect(outcome.answer.text).not.toBe('');
    expect(TEXT.startsWith(outcome.answer.text)).toBe(true);
  });

  test.each([
    'F5.nodone',
    'F6.split',
    'F6.burst',
    'F6.crlf',
    'F6.comments',
    'F6.bom',
    'F6.multiline',
    'F6.nospace',
  ])('%s changes nothing', async (id) => {
    world.emulator.fault({ id });
    const { ask } = world.kimi();
    expect(await ask(say)).toMatchObject({
      is: 'answered',
      finish: 'stop',
      answer: { text: TEXT },
    });
  });

  test('a stall ends with the idle timeout of the call, and the text is kept', async () => {
    world.emulator.fault({ id: 'F5.stall', after: 4 });
    const { provider, context, clock } = world.kimi();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const event of provider.chat(say, context)) {
        if (event.type !== 'text') continue;
        texts.push(event.text);
        // Silence from here on.
        if (texts.length === 3) queueMicrotask(() => clock.advance(10_000));
      }
    })();
    await expect(reading).rejects.toMatchObject({ class: 'interrupted' });
    expect(texts.join('')).not.toBe('');
    expect(clock.waiting).toBe(0);
  });
});

test('a prompt over the context window is reported as such, with the window where Kimi names it', async () => {
  Object.assign(world.emulator.switches['kimi'] ?? {}, { moonshotV1: 'live' });
  const small = modelOf('moonshot-v1-8k');
  // As in a catalogue that is wrong about it.
  const huge = {
    ...small,
    state: 'live',
    contextTokens: 1_000_000,
    maxOutputTokens: 1_000_000,
  } as const;
  const { ask } = world.kimi({ catalogue: withModels(huge) });
  const request = asking('Hi.', { model: 'moonshot-v1-8k', maxOutputTokens: 500_000 });
  expect(await ask(request)).toMatchObject({
    error: { class: 'context_length', contextTokens: 8_192 },
  });
  const long = asking('word '.repeat(20_000), { model: 'moonshot-v1-8k' });
  expect(await ask(long)).toMatchObject({ error: { class: 'context_length' } });
});

describe('F21: a field that was taken and not obeyed', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
  } as const;
  const json = asking('Give me 7.', {
    responseFormat: { type: 'json_schema', name: 'x', schema },
  });
  const forced = asking('Hello there.', { tools: [LOOK], toolChoice: 'required' });

  verifies(
    'provider:faults',
    'Kimi F21: an answer that does not fit its schema is asked for again',
    async () => {
      world.emulator.fault({ id: 'F21' });
      const { ask } = world.kimi();
      const outcome = await ask(json);
      expect(outcome).toMatchObject({ is: 'answered', finish: 'stop' });
      expect(JSON.parse(outcome.answer.text)).toEqual({ n: expect.any(Number) as number });
      expect(outcome.answer.notices).toHaveLength(1);
    },
  );

  test('a streamed one is rejected, and what was emitted is kept', async () => {
    world.emulator.fault({ id: 'F21' });
    const { ask } = world.kimi();
    const outcome = await ask({ ...json, delivery: 'stream' });
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'bad_response' } });
    expect(outcome.answer.text).not.toBe('');
  });

  test('a call that does not come is asked for again, and then is an error', async () => {
    world.emulator.fault({ id: 'F21' });
    const { ask } = world.kimi();
    expect(await ask(forced)).toMatchObject({
      is: 'answered',
      finish: 'tool_calls',
      answer: { text: '', toolCalls: [{ name: 'look' }] },
    });
    world.emulator.fault({ id: 'F21', times: 2 });
    expect(await ask(forced)).toMatchObject({ is: 'failed', error: { class: 'bad_response' } });
  });

  describe.each([
    ['kimi-k3', undefined],
    ['kimi-k2.7-code', undefined],
    ['kimi-k2.6', undefined],
    ['kimi-k2.6', { mode: 'on' }],
  ] as const)('%s is held to a forced tool, thinking: %j', (model, thinking) => {
    const request = (text: string, toolChoice: ChatRequest['toolChoice']): ChatRequest => {
      const { thinking: _, ...plain } = { ...forced, ...asking(text) };
      return { ...plain, model, ...(thinking && { thinking }), ...(toolChoice && { toolChoice }) };
    };
    const called = {
      is: 'answered',
      finish: 'tool_calls',
      answer: { text: '', toolCalls: [{ name: 'look' }] },
    };

    test.each(['required', { name: 'look' }] as const)('%j: it calls the tool', async (choice) => {
      const { ask } = world.kimi();
      expect(await ask(request('Have a look.', choice))).toMatchObject(called);
    });

    test('text instead of any call is asked about once, and then an error', async () => {
      world.emulator.fault({ id: 'F21', times: 2 });
      const { ask } = world.kimi();
      expect(await ask(request('Hello there.', 'required'))).toMatchObject({
        is: 'failed',
        error: { class: 'bad_response', dueTo: 'request' },
      });
      expect(world.bodies()).toHaveLength(2);
    });

    test('text instead of the named call is asked about once', async () => {
      world.emulator.fault({ id: 'F21' });
      const { ask } = world.kimi();
      expect(await ask(request('Hello there.', { name: 'look' }))).toMatchObject(called);
    });
  });

  test('a K3 that refuses required is asked without it, and is held to the call all the same', async () => {
    Object.assign(world.emulator.switches['kimi'] ?? {}, { toolChoice: 'refused' });
    const { thinking: _, ...plain } = { ...forced, ...asking('Have a look.') };
    const { ask } = world.kimi();
    const outcome = await ask({ ...plain, model: 'kimi-k3' });
    expect(outcome).toMatchObject({
      is: 'answered',
      finish: 'tool_calls',
      answer: { toolCalls: [{ name: 'look' }] },
    });
  });

  test('a model without schema support gets the schema in the prompt', async () => {
    const loose = { ...modelOf('kimi-k2.6'), json: 'object' } as const;
    const { ask } = world.kimi({ catalogue: withModels(loose) });
    await ask({ ...json, delivery: 'stream' });
    const [body] = world.bodies();
    expect(body).toMatchObject({ response_format: { type: 'json_object' } });
    expect(JSON.stringify(body?.['messages'])).toContain('fits this JSON Schema');
  });
});

describe('accounts in trouble', () => {
  test.each([
    ['sk-wrong-key-0001', 'auth'],
    ['sk-cn-key-0000001', 'auth'],
    ['sk-kimi-key-00001', 'auth'],
    ['sk-poor-key-00001', 'billing'],
    ['sk-quota-key-0001', 'quota'],
    ['sk-inactive-key-1', 'billing'],
    ['sk-denied-key-001', 'not_configured'],
    ['sk-busy-key-00001', 'overloaded'],
  ])('%s is %s', async (key, errorClass) => {
    const { ask } = world.kimi({ key });
    const outcome = await ask(asking('Hi.'));
    expect(outcome).toMatchObject({ error: { class: errorClass } });
    expect(JSON.stringify(outcome)).not.toContain(key);
  });
});

describe('a model that takes less than the catalogue thinks', () => {
  test('is asked again without what it refused', async () => {
    const free = {
      ...modelOf('kimi-k2.6'),
      sampling: modelOf('moonshot-v1-8k').sampling,
      toolChoice: 'any' as const,
    };
    const { ask } = world.kimi({ catalogue: withModels(free) });
    const outcome = await ask(
      asking('Please look at "tea".', {
        thinking: { mode: 'on' },
        tools: [LOOK],
        toolChoice: 'required',
        sampling: { temperature: 0.2, topP: 0.1 },
      }),
    );
    expect(outcome).toMatchObject({ is: 'answered', finish: 'tool_calls' });
    expect(outcome.answer.notices).toEqual([
      notice('parameter_refused', {
        model: 'Kimi',
        parameter: 'temperature',
        refused: 'parameter',
      }),
      notice('parameter_refused', { model: 'Kimi', parameter: 'top_p', refused: 'parameter' }),
      notice('parameter_refused', {
        model: 'Kimi',
        parameter: 'tool_choice',
        refused: 'parameter',
      }),
    ]);
  });

  test('is asked without the search where it refuses that', async () => {
    const always = {
      ...modelOf('kimi-k2.6'),
      thinking: { control: 'always', default: 'on', efforts: [], keeps: false } as const,
    };
    const { ask } = world.kimi({ catalogue: withModels(always) });
    const request = asking('Say exactly: ok', { thinking: { mode: 'on' }, webSearch: {} });
    const outcome = await ask(request);
    expect(outcome).toMatchObject({ is: 'answered', answer: { text: 'ok' } });
    expect(outcome.answer.notices).toEqual([
      notice('search_unsupported', { model: 'Kimi K2.6', reason: 'refused' }),
    ]);
  });

  test('a model that always thinks searches with its reasoning sent back', async () => {
    const { ask } = world.kimi();
    const outcome = await ask(
      asking('What about tea?', { model: 'kimi-k3', thinking: { mode: 'on' }, webSearch: {} }),
    );
    expect(outcome).toMatchObject({ is: 'answered', finish: 'stop' });
    const messages = world.bodies()[1]?.['messages'] as Record<string, unknown>[];
    expect(messages[1]).toHaveProperty('reasoning_content');
  });
});
