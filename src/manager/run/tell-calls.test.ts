import { expect, test } from 'vitest';
import type { ToolCallPiece } from '#core/ask.ts';
import { planOf } from './plan.fixture.ts';
import { createRunState } from './run-state.ts';
import { createCallTeller } from './tell-calls.ts';

function teller() {
  const told: ToolCallPiece[] = [];
  const state = createRunState(planOf([]));
  const calls = createCallTeller(state, { onToolCall: (piece) => told.push(piece) });
  return { told, state, calls };
}

const name = (index: number): ToolCallPiece => ({
  type: 'tool_call',
  index,
  id: `call_${index}`,
  name: 'look',
  arguments: '',
});
const more = (index: number, text: string): ToolCallPiece => ({
  type: 'tool_call',
  index,
  arguments: text,
});

test('a name without arguments is kept back, so that a failure right after it can be mended', () => {
  const { told, state, calls } = teller();
  calls.take(name(0));
  expect(told).toEqual([]);
  expect(state.hasToldCalls).toBe(false);
});

test('with its first arguments the name is told, and everything after it as it comes', () => {
  const { told, state, calls } = teller();
  calls.take(name(0));
  calls.take(more(0, '{"a"'));
  calls.take(more(0, ':1}'));
  expect(told).toEqual([{ ...name(0), arguments: '{"a"' }, more(0, ':1}')]);
  expect(state.hasToldCalls).toBe(true);
});

test('a call that wants no arguments is told when the answer is whole', () => {
  const { told, calls } = teller();
  calls.take(name(0));
  calls.take(name(1));
  calls.end();
  calls.end();
  expect(told).toEqual([0, 1].map((index) => ({ ...name(index), arguments: '{}' })));
});

test('calls are told in their order, also when the arguments of a later one come first', () => {
  const { told, calls } = teller();
  calls.take(name(0));
  calls.take({ ...name(1), arguments: '{}' });
  calls.take(more(0, '{}'));
  expect(told).toEqual([name(0), { ...name(1), arguments: '{}' }, more(0, '{}')]);
});

test('where nobody listens for calls nothing counts as told', () => {
  const state = createRunState(planOf([]));
  const calls = createCallTeller(state, {});
  calls.take({ ...name(0), arguments: '{}' });
  calls.end();
  expect(state.hasToldCalls).toBe(false);
});
