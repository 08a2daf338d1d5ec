import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { describeFit, fit, type Fitted, type Summarise } from './fit.ts';
import { measure } from './measure.ts';
import { verifies } from '../../../test/verifies.ts';

const SIZES = [0, 1, 3, 30, 300, 1_500];
const text = fc
  .tuple(
    fc.constantFrom('word ', 'x', '漢字。', 'A b! ', '{"a":1}\n', '```\n'),
    fc.constantFrom(...SIZES),
  )
  .map(([unit, count]) => unit.repeat(count));

/** Turns of one exchange; every message starts with its own tag once numbered. */
const exchange: fc.Arbitrary<readonly ChatMessage[]> = fc.oneof(
  fc.tuple(text, text).map(([asked, said]): readonly ChatMessage[] => [
    { role: 'user', content: asked },
    { role: 'assistant', content: said },
  ]),
  fc
    .tuple(text, fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), text), { maxLength: 3 }))
    .map(([asked, rounds]): readonly ChatMessage[] => [
      { role: 'user', content: asked },
      ...rounds.flatMap(([calls, result]): ChatMessage[] => {
        // Vendors number calls anew in every answer, so ids come again.
        const ids = Array.from({ length: calls }, (_, each) => `look:${each}`);
        return [
          {
            role: 'assistant',
            content: '',
            toolCalls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })),
          },
          ...ids.map((toolCallId): ChatMessage => ({ role: 'tool', toolCallId, content: result })),
        ];
      }),
    ]),
);

const request: fc.Arbitrary<AskRequest> = fc
  .record({
    system: fc.option(text, { nil: undefined }),
    talk: fc.array(exchange, { maxLength: 8 }),
    last: fc.option(text, { nil: undefined }),
    files: fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), text }), {
      maxLength: 5,
    }),
  })
  .map(({ system, talk, last, files }) => ({
    ...(system !== undefined && { system }),
    files: files.map((file) => ({ ...file, text: `(${file.name}) ${file.text}` })),
    messages: tagged([
      ...talk.flat(),
      ...(last === undefined ? [] : [{ role: 'user', content: last } as const]),
    ]),
  }));

function tagged(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.map((message, index) => ({
    ...message,
    content: `#${index}# ${textOf(message)}`,
  }));
}

const textOf = ({ content }: ChatMessage) => (typeof content === 'string' ? content : '');
const tagOf = (message: ChatMessage) => /^#(\d+)# /.exec(textOf(message))?.[1];

const ANSWERS: Readonly<Record<string, Summarise>> = {
  short: () => Promise.resolve('In short.'),
  endless: () => Promise.resolve('On and on it goes, and never ends. '.repeat(2_000)),
  empty: () => Promise.resolve(''),
  failing: () => Promise.reject(new CallError('overloaded', 'Busy.')),
};

async function outcomeOf(asked: Promise<Fitted>): Promise<Fitted | CallError> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
}

function expectWhole(given: AskRequest, fitted: Fitted): void {
  const { messages, notices } = fitted;
  const tags = messages.flatMap((message) => tagOf(message) ?? []).map(Number);
  // In order, each once, what is asked last.
  expect(tags).toEqual([...new Set(tags)].toSorted((a, b) => a - b));
  if (given.messages.length > 0) expect(tags.at(-1)).toBe(given.messages.length - 1);
  expectNoOrphans(messages);

  // Nothing is missing that no note tells of.
  const leftOut = given.messages.length - tags.length;
  const told = notices.flatMap(({ code, params }) =>
    code === 'messages_left_out' ? [params.messages] : [],
  );
  expect(told).toEqual(leftOut === 0 ? [] : [leftOut]);
  const summarised = notices.flatMap(({ code, params }) =>
    code === 'text_summarised' ? [params] : [],
  );
  const files = new Map((given.files ?? []).map((file) => [file.name, file.text]));
  for (const [name, content] of files) {
    const isThere = messages.some((message) => textOf(message).includes(content));
    const isTold = summarised.some((each) => each.what === 'file' && each.name === name);
    expect(isThere || isTold).toBe(true);
  }
  for (const message of messages) {
    const tag = tagOf(message);
    const before = tag === undefined ? undefined : given.messages[Number(tag)];
    if (!before || before.content === message.content) continue;
    expect(summarised.map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^(?:question|result)$/),
    );
  }
}

function expectNoOrphans(messages: readonly ChatMessage[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open.delete(message.toolCallId)).toBe(true);
      continue;
    }
    expect(open.size).toBe(0);
    open = new Set(
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    );
  }
  expect(open.size).toBe(0);
}

describe('whatever the request and the window', () => {
  verifies(
    'context:fit',
    'it fits, in order, with nothing dropped silently and no call split, or is too long',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          request,
          fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 40_000 })),
          fc.constantFrom(0.5, 1, 1.3, 3),
          fc.constantFrom('short', 'endless', 'empty', 'failing', 'none'),
          async (given, roomTokens, correction, how) => {
            const measured = measure(given);
            const room = { roomTokens, correction, contextTokens: roomTokens };
            const outcome = await outcomeOf(fit(measured, room, () => ANSWERS[how]));
            const foreseen = describeFit(measured, room);
            if (outcome instanceof CallError) {
              expect(outcome.class).toBe('context_length');
              expect(measured.tokens * correction).toBeGreaterThan(roomTokens);
              expect(foreseen).not.toEqual([]);
              return;
            }
            expect(outcome.tokens * correction).toBeLessThanOrEqual(roomTokens);
            expect(estimateChat(outcome.messages)).toBeLessThanOrEqual(outcome.tokens);
            expectWhole(given, outcome);
            if (measured.tokens * correction <= roomTokens) {
              expect(outcome.notices).toEqual(foreseen);
              expect(outcome.messages.slice(-given.messages.length || Infinity)).toEqual(
                given.messages,
              );
            }
          },
        ),
        { numRuns: 150 },
      );
    },
  );
});
