import { expect, test } from 'vitest';
import type { Progress } from '#core/call.ts';
import { verifies } from '../../../test/verifies.ts';
import { createTestSession, request, success, type TestSession } from './session.fixture.ts';

type Params = Record<string, unknown> & { readonly _meta?: { readonly 'exai/text'?: string } };

/** A call that is under way, with a client that hears of its progress. */
function underWay(
  meta: object,
): TestSession & { step: (given: Progress) => void; told: () => Params[] } {
  const session = createTestSession();
  const { say, calls, channel } = session;
  say(request(1, 'tools/call', { name: 'wait', _meta: { progressToken: 'p', ...meta } }));
  return {
    ...session,
    step: (given) => calls.started[0]?.request.onProgress?.(given),
    told: () => (channel.take() as { params: Params }[]).map(({ params }) => params),
  };
}

const STREAM = { 'exai/stream': true };

verifies(
  'mcp:progress',
  'a client that asks for it gets the answer as it comes, beside its progress',
  () => {
    const { step, told } = underWay(STREAM);
    step({ note: 'asking' });
    step({ text: 'one ' });
    step({ text: '' });
    step({ text: 'two', note: 'still asking' });
    expect(told()).toEqual([
      { progressToken: 'p', progress: 0, message: 'asking' },
      { progressToken: 'p', progress: 1, _meta: { 'exai/text': 'one ' } },
      { progressToken: 'p', progress: 2, message: 'still asking', _meta: { 'exai/text': 'two' } },
    ]);
  },
);

verifies(
  'mcp:progress',
  'what a slow reader was spared comes with the next piece, and nothing is missing in between',
  () => {
    const { step, told, channel } = underWay(STREAM);
    step({ text: 'a' });
    channel.isClear = false;
    step({ text: 'b' });
    step({ text: 'c', note: 'left out' });
    channel.isClear = true;
    step({ text: 'd' });
    step({ note: 'end' });
    expect(told().map(({ _meta, message }) => [_meta?.['exai/text'], message])).toEqual([
      ['a', undefined],
      ['bcd', undefined],
      [undefined, 'end'],
    ]);
  },
);

test('whoever reads far too slowly gets the rest with the answer, and never a piece after a gap', () => {
  const { step, told, channel } = underWay(STREAM);
  channel.isClear = false;
  const piece = 'x'.repeat(100_000);
  for (let count = 0; count < 100; count += 1) step({ text: piece });
  channel.isClear = true;
  step({ text: 'after the gap' });
  step({ text: 'and after that' });
  const texts = told().map(({ _meta }) => _meta?.['exai/text'] ?? '');
  expect(texts.join('')).toBe(piece.repeat(10));
});

test.each([[{}], [{ 'exai/stream': false }], [{ 'exai/stream': 'true' }], [{ 'exai/stream': 1 }]])(
  'a stranger hears once a second how long the answer is, and never a word of it: %j',
  (meta) => {
    const { step, told, clock } = underWay(meta);
    for (let count = 0; count < 1_000; count += 1) step({ text: 'word ' });
    expect(told()).toEqual([{ progressToken: 'p', progress: 0, message: 'about 2 tokens so far' }]);
    clock.advance(999);
    step({ text: 'word ' });
    expect(told()).toEqual([]);
    clock.advance(1);
    step({ text: 'word ' });
    step({ text: 'word ', note: 'glm-5.3 goes on' });
    expect(told()).toEqual([
      { progressToken: 'p', progress: 1, message: 'about 1253 tokens so far' },
      { progressToken: 'p', progress: 2, message: 'glm-5.3 goes on' },
    ]);
  },
);

test('a client without a token hears nothing, whatever else it asks for', () => {
  const { say, calls } = createTestSession();
  say(request(1, 'tools/call', { name: 'wait', _meta: STREAM }));
  expect(calls.started[0]?.request).not.toHaveProperty('onProgress');
});

test('after the answer nothing of it is told any more', async () => {
  const { step, told, calls, channel } = underWay(STREAM);
  calls.started[0]?.answer(success('wait', 'req_1', 1));
  await channel.next(1);
  step({ text: 'late' });
  expect(told()).toEqual([]);
});
