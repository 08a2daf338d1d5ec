import fc from 'fast-check';
import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { play, script, textOf } from '../gateway/stream-parts.fixture.ts';
import { choiceOf, ENVELOPE, finishedWith } from './finished-chat.fixture.ts';
import { createOpenAiStreamWriter } from './stream-writer.ts';

const KIMI = { provider: 'kimi', model: 'kimi-k3', attempt: 1 } as const;
const SHAPE = { choices: 1, includeUsage: true, style: 'tools' } as const;

interface Delta {
  readonly role?: string;
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly arguments: string };
  }[];
}
interface Chunk {
  readonly choices?: readonly { readonly delta: Delta; readonly finish_reason: string | null }[];
  readonly error?: unknown;
}

/** Reads a stream as a client that concatenates the deltas. Throws for invalid events. */
function hear(text: string) {
  const events = text.split('\n\n').slice(0, -1);
  const data = events.filter((event) => !event.startsWith(':')).map(dataOf);
  const chunks = data.filter((each) => each !== '[DONE]').map((each) => JSON.parse(each) as Chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  const deltas = choices.map(({ delta }) => delta);
  const calls = new Map<number, { id: string | undefined; text: string }>();
  for (const { index, id, function: called } of deltas.flatMap((each) => each.tool_calls ?? [])) {
    const call = calls.get(index) ?? { id, text: '' };
    calls.set(index, { ...call, text: call.text + called.arguments });
  }
  return {
    done: data.lastIndexOf('[DONE]') === data.length - 1,
    finishes: choices.map(({ finish_reason: reason }) => reason).filter((each) => each !== null),
    roles: deltas.filter(({ role }) => role !== undefined).length,
    text: deltas.map(({ content = '' }) => content).join(''),
    thoughts: deltas.map(({ reasoning_content: thought = '' }) => thought).join(''),
    calls: [...calls.values()],
    failed: chunks.at(-1)?.error !== undefined,
  };
}

function dataOf(event: string): string {
  const [, data] = /^data: ([^\n\r]*)$/.exec(event) ?? [];
  if (data === undefined) throw new Error(`This is no event: ${event}`);
  return data;
}

verifies('gateway:grammar', 'any sequence of parts becomes chunks without loss', () => {
  const parts = fc.constantFrom('all of it', 'some of it', 'nothing of it');
  fc.assert(
    fc.property(script, parts, ({ steps, texts }, told) => {
      const { pieces, toolCalls } = play(steps, texts);
      const count = { 'all of it': pieces.length, 'some of it': 1, 'nothing of it': 0 }[told];
      // Calls are all or nothing, so what is sent in part is a text.
      const passed = pieces.filter(({ type }) => told === 'all of it' || type === 'text');
      const writer = createOpenAiStreamWriter(SHAPE);
      let events = writer.begin('req_1', 0, KIMI);
      for (const piece of passed.slice(0, count))
        events += writer.piece(piece, 0) + writer.keepalive;
      const said = choiceOf({ text: textOf(pieces, 'text'), toolCalls });
      const heard = hear(events + writer.end(finishedWith(said)));
      expect(heard).toEqual({
        done: true,
        finishes: ['stop'],
        roles: 1,
        text: textOf(pieces, 'text'),
        thoughts: textOf(passed.slice(0, count), 'reasoning'),
        calls: toolCalls.map((call) => ({ id: call.id, text: call.arguments })),
        failed: false,
      });
    }),
    { numRuns: 500 },
  );
});

verifies(
  'gateway:grammar',
  'any sequence of parts that fails ends with the error, not with [DONE]',
  () => {
    fc.assert(
      fc.property(script, ({ steps, texts }) => {
        const writer = createOpenAiStreamWriter(SHAPE);
        let events = writer.begin('req_1', 0, KIMI);
        for (const piece of play(steps, texts).pieces) events += writer.piece(piece, 0);
        const error = new CallError('network', 'Gone.');
        const heard = hear(events + writer.fail({ reqId: 'req_1', error, envelope: ENVELOPE }));
        expect([heard.failed, heard.finishes, heard.done]).toEqual([true, [], false]);
      }),
      { numRuns: 200 },
    );
  },
);
