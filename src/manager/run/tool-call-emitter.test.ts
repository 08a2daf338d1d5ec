import { describe, expect, test } from 'vitest';
import type { ToolCallPiece } from '#core/llm/ask.ts';
import { planOf } from './plan.fixture.ts';
import { createRunState } from './run-state.ts';
import { createStreamingCallEmitter, createWholeCallEmitter } from './tool-call-emitter.ts';

function emitter(create: typeof createWholeCallEmitter) {
  const emitted: ToolCallPiece[] = [];
  const state = createRunState(planOf([]));
  const calls = create(state, { onToolCall: (piece) => emitted.push(piece) });
  return { emitted, state, calls };
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

describe('complete calls', () => {
  test('are emitted when the answer is complete, in order, and nothing of them before', () => {
    const { emitted, state, calls } = emitter(createWholeCallEmitter);
    calls.take(name(0));
    calls.take(name(1));
    calls.take(more(1, '{"b":2}'));
    calls.take(more(0, '{"a"'));
    calls.take(more(0, ':1}'));
    expect([emitted, state.hasEmittedToolCalls, calls.pendingName()]).toEqual([[], false, 'look']);
    calls.end();
    calls.end();
    expect(emitted).toEqual([
      { ...name(0), arguments: '{"a":1}' },
      { ...name(1), arguments: '{"b":2}' },
    ]);
    expect(state.hasEmittedToolCalls).toBe(true);
    expect(calls.pendingName()).toBeUndefined();
    expect(calls.calls()).toEqual([
      { id: 'call_0', name: 'look', arguments: '{"a":1}' },
      { id: 'call_1', name: 'look', arguments: '{"b":2}' },
    ]);
  });

  test('with long arguments are emitted in pieces, which split no character', () => {
    const { emitted, calls } = emitter(createWholeCallEmitter);
    const text = JSON.stringify({ text: `${'x'.repeat(502)}${'😀'.repeat(500)}` });
    calls.take({ ...name(0), arguments: text });
    calls.end();
    expect(emitted.length).toBeGreaterThan(2);
    expect(emitted.map((piece) => piece.arguments).join('')).toBe(text);
    for (const piece of emitted) expect(piece.arguments.isWellFormed()).toBe(true);
  });

  test('are repaired where that is safe, and marked where they stay unreadable', () => {
    const { emitted, calls } = emitter(createWholeCallEmitter);
    calls.take({ ...name(0), arguments: '```json\n{"a":1}\n```' });
    calls.take({ ...name(1), arguments: '{"a": b}' });
    calls.take(name(2));
    calls.end();
    expect(emitted).toEqual([
      { ...name(0), arguments: '{"a":1}' },
      { ...name(1), arguments: '{"a": b}', isUnreadable: true },
      { ...name(2), arguments: '{}' },
    ]);
  });

  test('that the token limit cut are passed as they are', () => {
    const { emitted, calls } = emitter(createWholeCallEmitter);
    calls.take({ ...name(0), arguments: '{"a":' });
    calls.end('cut_by_limit');
    expect(emitted).toEqual([{ ...name(0), arguments: '{"a":' }]);
  });

  test('without a listener are known and do not count as emitted', () => {
    const state = createRunState(planOf([]));
    const calls = createWholeCallEmitter(state, {});
    calls.take({ ...name(0), arguments: '{}' });
    calls.end();
    expect(state.hasEmittedToolCalls).toBe(false);
    expect(calls.calls()).toHaveLength(1);
  });
});

describe('streamed calls', () => {
  test('a name without arguments is held back, so that a failure right after it can be retried', () => {
    const { emitted, state, calls } = emitter(createStreamingCallEmitter);
    calls.take(name(0));
    expect(emitted).toEqual([]);
    expect(state.hasEmittedToolCalls).toBe(false);
  });

  test('with its first arguments the name is emitted, and everything after it as it streams', () => {
    const { emitted, state, calls } = emitter(createStreamingCallEmitter);
    calls.take(name(0));
    calls.take(more(0, '{"a"'));
    calls.take(more(0, ':1}'));
    expect(emitted).toEqual([{ ...name(0), arguments: '{"a"' }, more(0, ':1}')]);
    expect(state.hasEmittedToolCalls).toBe(true);
  });

  test('a call without arguments is emitted when the answer is complete', () => {
    const { emitted, calls } = emitter(createStreamingCallEmitter);
    calls.take(name(0));
    calls.take(name(1));
    calls.end();
    calls.end();
    expect(emitted).toEqual([0, 1].map((index) => ({ ...name(index), arguments: '{}' })));
  });

  test('calls are emitted in order, also when the arguments of a later one come first', () => {
    const { emitted, calls } = emitter(createStreamingCallEmitter);
    calls.take(name(0));
    calls.take({ ...name(1), arguments: '{}' });
    calls.take(more(0, '{}'));
    expect(emitted).toEqual([name(0), { ...name(1), arguments: '{}' }, more(0, '{}')]);
  });

  test('without a listener for calls nothing counts as emitted', () => {
    const state = createRunState(planOf([]));
    const calls = createStreamingCallEmitter(state, {});
    calls.take({ ...name(0), arguments: '{}' });
    calls.end();
    expect(state.hasEmittedToolCalls).toBe(false);
  });
});
