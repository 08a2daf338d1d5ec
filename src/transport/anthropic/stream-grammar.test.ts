import fc from 'fast-check';
import { expect } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { play, script, textOf } from '../gateway/pieces.fixture.ts';
import { ENVELOPE, finished, STYLE } from './answers.fixture.ts';
import { hear, type Heard } from './stream-grammar.fixture.ts';
import { createStreamWriter } from './stream-writer.ts';
import { toInput } from './tool-input.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
function heardOf({ blocks }: Heard, type: string): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('');
}

/** What clients are told of a call: what is an object, or begins as one, as it is; everything else as an object. */
function toldArguments(written: string): string {
  const text = written.trim();
  return text === '' || text.startsWith('{') ? text : JSON.stringify(toInput(text));
}

verifies(
  'gateway:grammar',
  'any row of pieces is a stream by the grammar, from which nothing is missing',
  () => {
    fc.assert(
      fc.property(
        script,
        fc.constantFrom('as it comes', 'at the end'),
        ({ steps, texts }, when) => {
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
        },
      ),
      { numRuns: 500 },
    );
  },
);

verifies(
  'gateway:grammar',
  'any row of pieces that fails ends with the error, wherever it is',
  () => {
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
  },
);
