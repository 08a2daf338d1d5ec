import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '#core/llm/chat.ts';
import { keepNewest, pinnedTurns, splitHistory, type RetainedHistory } from './history.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const says = (content: string): ChatMessage => ({ role: 'assistant', content });
const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })),
});
const result = (toolCallId: string): ChatMessage => ({
  role: 'tool',
  toolCallId,
  content: 'It is raining.',
});

function turnsOf(messages: readonly ChatMessage[], maxTokens = 1e9): readonly [number, number][] {
  return splitHistory(messages, 0, maxTokens).turns.map(({ from, to }) => [from, to]);
}

function keep(
  messages: readonly ChatMessage[],
  roomTokens: number,
): RetainedHistory & { places: number[] } {
  const history = splitHistory(messages, 0, 1e9);
  const kept = keepNewest(messages, history, pinnedTurns(messages, history), roomTokens);
  const places = kept.turns.flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, each) => from + each),
  );
  return { ...kept, places };
}

describe('the turns of a conversation', () => {
  test('are messages, newest first; a call and all of its results are one', () => {
    expect(turnsOf([user('a'), says('b'), user('c')])).toEqual([
      [2, 3],
      [1, 2],
      [0, 1],
    ]);
    const tools = [user('a'), calls('1', '2'), result('2'), result('1'), calls('1'), result('1')];
    expect(turnsOf(tools)).toEqual([
      [4, 6],
      [1, 4],
      [0, 1],
    ]);
  });

  test('stay whole with messages between a call and its result', () => {
    expect(turnsOf([user('a'), calls('1', '2'), result('1'), user('b'), result('2')])).toEqual([
      [1, 5],
      [0, 1],
    ]);
  });

  test('with results without a call do not swallow the rest', () => {
    expect(turnsOf([user('a'), says('b'), result('x'), user('c'), result('y')])).toEqual([
      [4, 5],
      [3, 4],
      [2, 3],
      [1, 2],
      [0, 1],
    ]);
    const flood = [user('a'), ...Array.from({ length: 5_000 }, () => result('nobody'))];
    const counted = turnsOf(flood).reduce((sum, [from, to]) => sum + to - from, 0);
    expect(counted).toBe(5_001);
  });

  test('are counted from the end, and only as far as any window goes', () => {
    const messages = Array.from({ length: 1_000 }, (_, each) => user(`message ${each}`));
    const { turns, uncounted, tokens } = splitHistory(messages, 0, 100);
    expect(turns.length).toBeLessThan(20);
    expect(uncounted).toBe(1_000 - turns.length);
    expect(tokens).toBeLessThan(110);
  });
});

describe('keeping the newest turns', () => {
  const talk = [user('one '.repeat(50)), says('two '.repeat(50)), user('three'), says('four')];

  test('drops the oldest first, and returns the rest oldest first', () => {
    const messages = [...talk, user('now?')];
    expect(keep(messages, 1e6).places).toEqual([0, 1, 2, 3, 4]);
    expect(keep(messages, 30)).toMatchObject({ places: [2, 3, 4], leftOut: 2, isGapped: false });
    expect(keep(messages, 0)).toMatchObject({ places: [4], leftOut: 4 });
  });

  test('never begins with an answer whose question is gone', () => {
    const messages = [...talk, user('now?')];
    expect(keep(messages, 90).places).toEqual([2, 3, 4]);
  });

  test('keeps the user’s question while tool results follow it, and the call of the last result', () => {
    const messages = [
      user('old'),
      says('fine'),
      user('Look!'),
      calls('1'),
      result('1'),
      calls('2'),
    ];
    const more = [...messages, result('2')];
    expect(keep(more, 0)).toMatchObject({ places: [2, 5, 6], leftOut: 4, isGapped: true });
    expect(keep(more, 40).places).toEqual([2, 3, 4, 5, 6]);
  });

  test('makes nothing of nothing', () => {
    expect(keep([], 100)).toMatchObject({ places: [], leftOut: 0, tokens: 0 });
    expect(keep([says('only me')], 0).places).toEqual([0]);
  });
});
