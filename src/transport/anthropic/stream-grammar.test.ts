import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnswerPiece } from '#core/answer-piece.ts';
import { CallError } from '#core/call-error.ts';
import type { ToolCall } from '#core/chat.ts';
import { ENVELOPE, finished, STYLE } from './answers.fixture.ts';
import { hear, type Heard } from './stream-grammar.fixture.ts';
import { createStreamWriter } from './stream-writer.ts';
import { toInput } from './tool-input.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
const GLM = { type: 'asked', provider: 'glm', model: 'glm-5.3', attempt: 2 } as const;

/** Arguments as models write them. */
const argumentText = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value })),
  fc.constantFrom('', '{}', ' {"a":"\\"}"} ', '{"a":[1,{"b":"{"}]}', '{"a":', 'no', '```{}```'),
);
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('\ud800', '\u2028', '\r\n\n', 'data: {}\n\n'),
);
type Step =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly chars: number }
  | typeof GLM;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'reasoning'), text: words }),
  fc.record({
    type: fc.constant('call'),
    index: fc.nat({ max: 3 }),
    chars: fc.integer({ min: 0, max: 6 }),
  }),
  fc.constant(GLM),
);

/** A model that says texts and thoughts and makes up to four calls, a few characters at a time and in turns. */
function play(steps: readonly Step[], texts: readonly string[]) {
  const pieces: AnswerPiece[] = [];
  const sent = new Map<number, number>();
  const add = (index: number, chars: number) => {
    const from = sent.get(index);
    const added = (texts[index] ?? '').slice(from ?? 0, (from ?? 0) + chars);
    sent.set(index, (from ?? 0) + chars);
    const about = from === undefined && { id: `call_${index}`, name: `tool_${index}` };
    pieces.push({ type: 'tool_call', index, arguments: added, ...about });
  };
  for (const each of steps) {
    if (each.type === 'call') add(each.index, each.chars);
    else pieces.push(each);
  }
  for (const index of sent.keys()) add(index, 1_000);
  const toolCalls: readonly ToolCall[] = [...sent.keys()].map((index) => ({
    id: `call_${index}`,
    name: `tool_${index}`,
    arguments: texts[index] ?? '',
  }));
  return { pieces, toolCalls };
}

function textOf(pieces: readonly AnswerPiece[], type: 'text' | 'reasoning'): string {
  return pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
}

function heardOf({ blocks }: Heard, type: string): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('');
}

/** What clients are told of a call: what is an object, or begins as one, as it is; everything else as an object. */
function toldArguments(written: string): string {
  const text = written.trim();
  return text === '' || text.startsWith('{') ? text : JSON.stringify(toInput(text));
}

const script = fc.record({
  steps: fc.array(step, { maxLength: 40 }),
  texts: fc.array(argumentText, { minLength: 4, maxLength: 4 }),
});

test('any row of pieces is a stream by the grammar, from which nothing is missing', () => {
  fc.assert(
    fc.property(script, fc.constantFrom('as it comes', 'at the end'), ({ steps, texts }, when) => {
      const { pieces, toolCalls } = play(steps, texts);
      const passed = when === 'as it comes' ? pieces : [];
      const writer = createStreamWriter(STYLE);
      let events = writer.begin('req_1', 0, KIMI);
      for (const piece of passed) events += writer.piece(piece, 0) + writer.alive;
      const heard = hear(
        events + writer.end(finished({ text: textOf(pieces, 'text'), toolCalls })),
      );
      const calls = heard.blocks.filter(({ type }) => type === 'tool_use');
      const told = Object.fromEntries(calls.map(({ id, text }) => [id, text.trim()]));
      expect({
        ended: heard.ended,
        text: heardOf(heard, 'text'),
        thoughts: heardOf(heard, 'thinking'),
        calls: calls.length,
        told: toolCalls.map(({ id }) => told[id]),
      }).toEqual({
        ended: 'well',
        text: textOf(pieces, 'text'),
        thoughts: textOf(passed, 'reasoning'),
        calls: toolCalls.length,
        told: toolCalls.map((call) => toldArguments(call.arguments)),
      });
    }),
    { numRuns: 500 },
  );
});

test('any row of pieces that fails ends with the error, wherever it is', () => {
  fc.assert(
    fc.property(script, ({ steps, texts }) => {
      const writer = createStreamWriter(STYLE);
      let events = writer.begin('req_1', 0, KIMI);
      for (const piece of play(steps, texts).pieces) events += writer.piece(piece, 0);
      const error = new CallError('network', 'Gone.');
      events += writer.fail({ reqId: 'req_1', error, envelope: ENVELOPE });
      expect(hear(events).ended).toBe('failed');
    }),
    { numRuns: 200 },
  );
});
