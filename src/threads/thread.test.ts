import { expect, test } from 'vitest';
import type { Conversation, Turn } from '#core/stores/conversations.ts';
import { createThread } from './thread.ts';

const turn = (seq: number, files: readonly string[] = []) =>
  ({ seq, role: 'user', content: `turn ${seq}`, files }) as unknown as Turn;

/** The last turns of a conversation that has more. */
function opened(turns: readonly Turn[], count: number) {
  return createThread({
    id: 'conv_1',
    title: '',
    conversation: { turns: count, model: null, state: null } as unknown as Conversation,
    turns,
    maxTurns: 100,
    append: async (_, { ifTurns = 0 }) => ifTurns + 1,
  });
}

test('turns are excluded by their numbers, wherever the history begins', () => {
  const thread = opened([turn(41), turn(42), turn(43)], 43);
  expect(thread.historyWithout(new Set([1, 42]))).toEqual([
    { role: 'user', content: 'turn 41' },
    { role: 'user', content: 'turn 43' },
  ]);
  expect(thread.history).toHaveLength(3);
});

test('counts its turns, including those it appended', async () => {
  const thread = opened([turn(43)], 43);
  expect(thread.turns).toBe(43);
  const said = { role: 'user', tool: 'chat', content: 'x' } as const;
  await thread.append([said, said], {}, { ifUnchanged: true });
  expect(thread.turns).toBe(45);
});

test('the history is built lazily, and only once', () => {
  let reads = 0;
  const counted = {
    ...turn(1),
    get content() {
      reads += 1;
      return 'x';
    },
  };
  const thread = opened([counted], 1);
  expect(thread.continuation().remainingTurns).toBe(49);
  expect(reads).toBe(0);
  expect([thread.history, thread.history, thread.files]).toHaveLength(3);
  expect(reads).toBe(1);
});

test('the names of files are appended to the message that attached them', () => {
  const { history, files } = opened([turn(1, ['/a.ts', '/b.ts'])], 1);
  expect(history[0]?.content).toBe('turn 1\n\n[Files with this message: /a.ts, /b.ts]');
  expect(files).toEqual(['/a.ts', '/b.ts']);
});
