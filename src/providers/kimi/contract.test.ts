import fc from 'fast-check';
import { expect } from 'vitest';
import type { ChatMessage, ChatRequest } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { useKimiWorld, withLive } from './kimi.fixture.ts';

const world = useKimiWorld();

const RETIRED = ['moonshot-v1-128k', 'kimi-k2.5', 'kimi-k2-0905-preview', 'kimi-k2-thinking'];
const LIVE = ['kimi-k3', 'kimi-k3.1-pro', 'kimi-k2.6', 'kimi-k2.7-code'];

const schema = fc.constantFrom(
  {},
  { type: 'object', properties: { a: { enum: ['x', 1, null] }, b: {}, c: { const: 'k' } } },
  {
    type: 'object',
    anyOf: [{ required: ['a'] }, { properties: { b: { type: ['string', 'null'] } } }],
  },
  { properties: { t: { type: 'array', items: [{ type: 'string' }, {}] } }, required: ['missing'] },
  {
    $ref: '#/definitions/node',
    definitions: {
      node: {
        type: 'object',
        properties: { next: { $ref: '#/definitions/node', description: 'Next.' } },
      },
    },
  },
);
const tools = fc
  .uniqueArray(fc.constantFrom('look', 'find_it', '_x-y', 'weather'), { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => schema.map((parameters) => ({ name, description: '', parameters }))),
    ),
  );
const text = fc.constantFrom(
  'Hello.',
  'Say exactly: yes',
  '世界\ud800',
  'What is 2 + 3?',
  'Please look.',
);
const PICTURE = { base64: 'iVBORw0KGgo=', mediaType: 'image/png' };

const history: fc.Arbitrary<readonly ChatMessage[]> = fc
  .array(
    fc.oneof(
      text.map((content): readonly ChatMessage[] => [{ role: 'system', content }]),
      text.map((content): readonly ChatMessage[] => [{ role: 'user', content }]),
      fc
        .tuple(text, fc.option(text, { nil: undefined }))
        .map(([content, reasoning]): readonly ChatMessage[] => [
          { role: 'assistant', content, ...(reasoning !== undefined && { reasoning }) },
        ]),
      fc
        .tuple(
          fc.constantFrom('', ' ', 'Let me see.'),
          fc.option(text, { nil: undefined }),
          fc.constantFrom('', 'Found.'),
        )
        .map(([content, reasoning, result]): readonly ChatMessage[] => [
          {
            role: 'assistant',
            content,
            ...(reasoning !== undefined && { reasoning }),
            toolCalls: [{ id: 'c1', name: 'look', arguments: '{' }],
          },
          { role: 'tool', toolCallId: 'c1', content: result },
        ]),
    ),
    { maxLength: 4 },
  )
  .map((turns) => turns.flat());

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const request = fc.record(
  {
    model: fc.constantFrom(...LIVE, ...RETIRED),
    delivery: fc.constantFrom('stream' as const, 'whole' as const),
    history,
    last: fc.oneof(
      text,
      text.map((words) => [
        { type: 'text' as const, text: words },
        { type: 'image' as const, source: PICTURE },
      ]),
    ),
    tools: maybe(tools),
    choice: fc.constantFrom(undefined, 'auto', 'none', 'required', 'first'),
    format: maybe(
      fc.oneof(
        fc.constant({ type: 'json' as const }),
        schema.map((each) => ({ type: 'json_schema' as const, name: 'An answer', schema: each })),
      ),
    ),
    thinking: maybe(
      fc.record(
        {
          mode: fc.constantFrom('on' as const, 'off' as const),
          effort: fc.constantFrom(
            'low' as const,
            'medium' as const,
            'high' as const,
            'max' as const,
          ),
          keep: fc.constantFrom('all' as const, 'none' as const),
        },
        { requiredKeys: ['mode'] },
      ),
    ),
    sampling: maybe(
      fc.record(
        {
          temperature: fc.double({ min: -1, max: 3, noNaN: true }),
          topP: fc.double({ min: -1, max: 2, noNaN: true }),
          presencePenalty: fc.integer({ min: -5, max: 5 }),
          seed: fc.nat(),
        },
        { requiredKeys: [] },
      ),
    ),
    stop: maybe(fc.array(fc.constantFrom('END', '世界', '\n'), { maxLength: 5 })),
    maxOutputTokens: maybe(fc.constantFrom(200, 5_000, 10_000_000)),
    webSearch: maybe(fc.constantFrom({}, { query: 'tea', maxRounds: 1 }, { maxTokens: 10 })),
    isPrefix: fc.boolean(),
  },
  { noNullPrototype: true },
);

verifies(
  'provider:facts',
  'Kimi: whatever is asked for, and whichever model it is, Kimi never finds the request malformed',
  async () => {
    const { provider, ask, exchanges } = world.kimi({ catalogue: withLive(...RETIRED) });
    expect(provider.id).toBe('kimi');
    const flavours = [
      {},
      { k3Thinking: 'refused' },
      { toolNames: 'short', callContent: 'null' },
      { webSearchType: 'function' },
    ];
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        request,
        async ({ history: before, last, choice, format, isPrefix, tools: given, ...rest }) => {
          world.emulator.reset();
          number += 1;
          Object.assign(
            world.emulator.switches['kimi'] ?? {},
            { retiredModels: 'live', moonshotV1: 'live' },
            flavours[number % flavours.length],
          );
          const [first] = given ?? [];
          const forced = first
            ? choice === 'first'
              ? { name: first.name }
              : choice
            : choice === 'none'
              ? choice
              : undefined;
          const isText =
            typeof last === 'string' ||
            rest.model.startsWith('moonshot') ||
            rest.model.includes('0905') ||
            rest.model === 'kimi-k2-thinking';
          const user: ChatMessage = { role: 'user', content: isText ? 'Hello there.' : last };
          const full = {
            ...rest,
            ...(given && { tools: given }),
            ...(forced && { toolChoice: forced }),
            ...(isPrefix ? { continuation: 'prefix' } : format && { responseFormat: format }),
            messages: [
              ...before,
              user,
              ...(isPrefix ? [{ role: 'assistant', content: 'Well, ' }] : []),
            ],
          };
          const clean = Object.fromEntries(
            Object.entries(full).filter(([, value]) => value !== undefined),
          );
          const outcome = await ask(clean as unknown as ChatRequest);
          // The emulated model may answer what was not asked for; the request itself is always
          // good.
          const ended = outcome.is === 'failed' ? outcome.error.class : outcome.is;
          expect(['answered', 'empty_response', 'bad_response']).toContain(ended);
          expect(exchanges.splice(0).filter(({ status }) => status === 400)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  },
);
