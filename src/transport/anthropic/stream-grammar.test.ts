import fc from 'fast-check';
import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { play, script, textOf } from '../gateway/stream-parts.fixture.ts';
import { ENVELOPE, finished, STYLE } from './finished-chat.fixture.ts';
import { readStream, type ReadStream } from './stream-grammar.fixture.ts';
import { createAnthropicStreamWriter } from './stream-writer.ts';
import { toToolInput } from './message-response.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
function heardOf({ blocks }: ReadStream, type: string): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('');
}

/**
 * The expected arguments of a call: an object, or the start of one, unchanged; everything else
 * wrapped into an object.
 */
function toldArguments(written: string): string {
  const text = written.trim();
  return text === '' || text.startsWith('{') ? text : JSON.stringify(toToolInput(text));
}

verifies('gateway:grammar', 'any sequence of parts becomes a valid stream without loss', () => {
  fc.assert(
    fc.property(script, fc.constantFrom('as it comes', 'at the end'), ({ steps, texts }, when) => {
      const { pieces, toolCalls } = play(steps, texts);
      const passed = when === 'as it comes' ? pieces : [];
      const writer = createAnthropicStreamWriter(STYLE);
      let events = writer.begin('req_1', 0, KIMI);
      for (const piece of passed) events += writer.piece(piece, 0) + writer.keepalive;
      const heard = readStream(
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

verifies(
  'gateway:grammar',
  'any sequence of parts that fails ends with the error, wherever it is',
  () => {
    fc.assert(
      fc.property(script, ({ steps, texts }) => {
        const writer = createAnthropicStreamWriter(STYLE);
        let events = writer.begin('req_1', 0, KIMI);
        for (const piece of play(steps, texts).pieces) events += writer.piece(piece, 0);
        const error = new CallError('network', 'Gone.');
        events += writer.fail({ reqId: 'req_1', error, envelope: ENVELOPE });
        expect(readStream(events).ended).toBe('failed');
      }),
      { numRuns: 200 },
    );
  },
);
