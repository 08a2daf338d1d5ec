import { describe, expect, test } from 'vitest';
import type { StreamPart } from '#core/llm/stream-part.ts';
import { CallError } from '#core/errors/call-error.ts';
import { choiceOf, ENVELOPE, EXAI, finishedWith, USAGE } from './finished-chat.fixture.ts';
import { createOpenAiStreamWriter, type OpenAiStreamOptions } from './stream-writer.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k2.6', attempt: 1 } as const;
const GLM = { provider: 'glm', model: 'glm-5.3', attempt: 2, after: 'network' } as const;
const AT_MS = 1_700_000_000_999;

function begun(shape: Partial<OpenAiStreamOptions> = {}) {
  const writer = createOpenAiStreamWriter({
    choices: 1,
    includeUsage: false,
    style: 'tools',
    ...shape,
  });
  const told = writer.begin('req_1', AT_MS, KIMI);
  expect(told).toBe('');
  return writer;
}

/** The data of the events, parsed if it is JSON. */
function read(events: string): unknown[] {
  expect(events.endsWith('\n\n')).toBe(true);
  return events
    .slice(0, -2)
    .split('\n\n')
    .map((event) => {
      expect(event.startsWith('data: ')).toBe(true);
      const data = event.slice('data: '.length);
      return data === '[DONE]' ? data : (JSON.parse(data) as unknown);
    });
}

function chunk(delta: object, more: object = {}, choice: object = {}): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    service_tier: 'default',
    model: 'kimi-k2.6',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
    ...more,
  };
}

/** The first chunk of a choice. */
const role = (content: '' | null, more: object = {}, choice: object = {}) =>
  chunk({ role: 'assistant', content, refusal: null }, more, choice);

const text = (said: string): StreamPart => ({ type: 'text', text: said });

test('texts and reasoning become deltas, after one with the role', () => {
  const writer = begun();
  const broken = 'a "quote",\na line\u2028 and half of \ud83d';
  const events = [
    writer.piece({ type: 'reasoning', text: 'Hm.' }, 0),
    writer.piece(text('Hel'), 0),
    writer.piece(text(broken), 0),
  ].join('');
  expect(read(events)).toEqual([
    role(null),
    chunk({ reasoning_content: 'Hm.' }),
    chunk({ content: 'Hel' }),
    chunk({ content: broken }),
  ]);
  expect(writer.piece(text(''), 0) + writer.piece({ type: 'reasoning', text: '' }, 0)).toBe('');
});

test('calls come in parts, with id and name in the first of each', () => {
  const writer = begun();
  const pieces: StreamPart[] = [
    { type: 'tool_call', index: 0, id: 'c0', name: 'f', arguments: '' },
    { type: 'tool_call', index: 0, arguments: '{"a":' },
    { type: 'tool_call', index: 1, id: 'c1', name: 'g', arguments: '{}' },
    { type: 'tool_call', index: 0, arguments: '1}' },
  ];
  const deltas = [
    { index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } },
    { index: 0, function: { arguments: '{"a":' } },
    { index: 1, id: 'c1', type: 'function', function: { name: 'g', arguments: '{}' } },
    { index: 0, function: { arguments: '1}' } },
  ];
  expect(read(pieces.map((piece) => writer.piece(piece, 0)).join(''))).toEqual([
    role(null),
    ...deltas.map((call) => chunk({ tool_calls: [call] })),
  ]);
});

test('a client with legacy functions gets the first call only', () => {
  const writer = begun({ style: 'functions' });
  const pieces: StreamPart[] = [
    { type: 'tool_call', index: 0, id: 'c0', name: 'f', arguments: '{' },
    { type: 'tool_call', index: 1, id: 'c1', name: 'g', arguments: '{}' },
    { type: 'tool_call', index: 0, arguments: '}' },
  ];
  const finished = finishedWith(choiceOf({ text: '', finish: 'tool_calls' }));
  const events = pieces.map((piece) => writer.piece(piece, 0)).join('') + writer.end(finished);
  expect(read(events)).toEqual([
    role(null),
    chunk({ function_call: { name: 'f', arguments: '{' } }),
    chunk({ function_call: { arguments: '}' } }),
    chunk({}, { exai: EXAI }, { finish_reason: 'function_call' }),
    '[DONE]',
  ]);
});

describe('the end', () => {
  test('has the finish reason, the usage if requested, and [DONE]', () => {
    const writer = begun({ includeUsage: true });
    writer.piece(text('Hello!'), 0);
    expect(read(writer.end(finishedWith(choiceOf({ finish: 'length' }))))).toEqual([
      chunk({}, { usage: null, exai: EXAI }, { finish_reason: 'length' }),
      { ...chunk({}), choices: [], usage: USAGE },
      '[DONE]',
    ]);
  });

  test('comes for each choice, with the exai member in the last', () => {
    const writer = begun({ choices: 2 });
    const events =
      writer.piece(text('a'), 1) +
      writer.piece(text('b'), 0) +
      writer.piece(text('c'), 1) +
      writer.end(finishedWith(choiceOf({ text: 'b' }), choiceOf({ text: 'ac' })));
    expect(read(events)).toEqual([
      role('', {}, { index: 1 }),
      chunk({ content: 'a' }, {}, { index: 1 }),
      role(''),
      chunk({ content: 'b' }),
      chunk({ content: 'c' }, {}, { index: 1 }),
      chunk({}, {}, { finish_reason: 'stop' }),
      chunk({}, { exai: EXAI }, { index: 1, finish_reason: 'stop' }),
      '[DONE]',
    ]);
  });

  test('has citations and reasoning details', () => {
    const writer = begun();
    writer.piece(text('So [ref_1].'), 0);
    const details = [{ type: 'reasoning.encrypted', data: 'x' }];
    const citations = [{ title: 'A', url: 'https://a.example', mark: 'ref_1' }];
    const said = choiceOf({ text: 'So [ref_1].', citations, reasoningDetails: details });
    const place = { start_index: 3, end_index: 10 };
    expect(read(writer.end(finishedWith(said)))[0]).toEqual(
      chunk(
        {
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://a.example', title: 'A', ...place },
            },
          ],
          reasoning_details: details,
        },
        { exai: EXAI },
        { finish_reason: 'stop' },
      ),
    );
  });

  test('has everything that was not streamed, even without a beginning', () => {
    const shape = { choices: 1, includeUsage: false, style: 'tools' } as const;
    const toolCalls = [{ id: 'c0', name: 'f', arguments: '{}' }];
    const said = choiceOf({ reasoning: 'Hm.', toolCalls, finish: 'tool_calls' });
    const called = {
      index: 0,
      id: 'c0',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    };
    expect(read(createOpenAiStreamWriter(shape).end(finishedWith(said)))).toEqual([
      role(null),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Hello!' }),
      chunk({ tool_calls: [called] }),
      chunk({}, { exai: EXAI }, { finish_reason: 'tool_calls' }),
      '[DONE]',
    ]);
  });
});

test('a seam is marked at its position, with the model that continues', () => {
  const writer = begun();
  const events =
    writer.piece({ type: 'asked', ...KIMI }, 0) +
    writer.piece(text('Hel'), 0) +
    writer.piece({ type: 'asked', ...GLM }, 0) +
    writer.piece(text('lo!'), 0);
  const glm = { model: 'glm-5.3' };
  expect(read(events)).toEqual([
    role(''),
    chunk({ content: 'Hel' }),
    chunk({}, { ...glm, exai: { seam: { provider: 'glm', model: 'glm-5.3', after: 'network' } } }),
    chunk({ content: 'lo!' }, glm),
  ]);
});

test('an attempt before any output appears only in the first chunk', () => {
  const writer = begun();
  expect(writer.piece({ type: 'asked', ...GLM }, 0)).toBe('');
  expect(read(writer.piece(text('Hi'), 0))).toEqual([
    role('', { model: 'glm-5.3' }),
    chunk({ content: 'Hi' }, { model: 'glm-5.3' }),
  ]);
});

test('a failure is an event of the stream, without a normal end', () => {
  const error = new CallError('interrupted', 'The answer broke off.', { fix: 'Ask again.' });
  const [told, ...rest] = read(begun().fail({ reqId: 'req_1', error, envelope: ENVELOPE }));
  expect(rest).toEqual([]);
  expect(told).toEqual({
    error: {
      message: 'The answer broke off. Ask again.',
      type: 'server_error',
      param: null,
      code: 'interrupted',
      class: 'interrupted',
      req_id: 'req_1',
    },
    exai: { class: 'interrupted', ...EXAI },
  });
});

test('a keepalive is a comment, and parts of unknown choices are ignored', () => {
  const writer = begun();
  expect(writer.keepalive).toBe(': still here\n\n');
  for (const at of [-1, 1, 1e9, Number.NaN]) expect(writer.piece(text('x'), at)).toBe('');
});
