import { expect, test } from 'vitest';
import { loadFullThread, type CallThreadsTool } from './threads-tool.ts';

const thread = { id: 'conv_1', title: 't', turns: 5, created: '', updated: '' };
const turn = (number: number) => ({
  turn: number,
  role: 'user' as const,
  tool: 'chat',
  at: '',
  text: '',
});

/** Answers with these pages, by the turn they end before. */
function pages(of: Record<string, { turns: number[]; next?: number }>) {
  const asked: unknown[] = [];
  const call = (async (_action: string, { before }: { before?: number }) => {
    asked.push(before);
    const { turns, ...more } = of[before ?? 'end'] ?? { turns: [] };
    return { thread, turns: turns.map(turn), ...more };
  }) as unknown as CallThreadsTool;
  return { call, asked };
}

test('the pages of a conversation are put together, oldest turn first', async () => {
  const { call, asked } = pages({
    end: { turns: [4, 5], next: 4 },
    4: { turns: [2, 3], next: 2 },
    2: { turns: [1] },
  });
  const whole = await loadFullThread(call, 'conv_1');
  expect(whole.turns.map((each) => each.turn)).toEqual([1, 2, 3, 4, 5]);
  expect(asked).toEqual([undefined, 4, 2]);
});

test('a page that leads nowhere further ends it', async () => {
  const { call, asked } = pages({
    end: { turns: [5], next: 5 },
    5: { turns: [4], next: 5 },
  });
  expect((await loadFullThread(call, 'conv_1')).turns.map((each) => each.turn)).toEqual([4, 5]);
  expect(asked).toHaveLength(2);
});
