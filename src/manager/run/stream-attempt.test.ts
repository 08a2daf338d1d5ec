import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { AskListener, ToolCallPiece } from '#core/llm/ask.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { PlannedModel } from '../route/plan.ts';
import { planOf } from './plan.fixture.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { createRunState } from './run-state.ts';
import { END, fullAnswer, scripted, textEvents, type Script } from './scripted.fixture.ts';
import { createToolCallEmitter, streamAttempt } from './stream-attempt.ts';

describe('speak', () => {
  const CUT = new CallError('network', 'Cut.');
  const GLM = { provider: 'glm', model: 'glm-5.3', entry: {} } as unknown as PlannedModel;

  const called = (piece: Partial<ToolCallPiece>): ChatEvent & { readonly type: 'tool_call' } => ({
    type: 'tool_call',
    index: 0,
    arguments: '',
    ...piece,
  });

  /** One after the other is asked; what their reader hears, as it comes. */
  async function hear(...scripts: readonly Script[]) {
    const clock = createFakeClock();
    const state = createRunState(planOf([GLM]));
    const provider = scripted('glm', scripts);
    const heard: string[] = [];
    const listener: AskListener = {
      onText: (text) => void heard.push(text),
      onReasoning: (text) => void heard.push(`(${text})`),
      onToolCall: ({ name, arguments: text }) => void heard.push(`<${name ?? ''} ${text}>`),
    };
    const run = {
      request: { messages: [{ role: 'user', content: 'Who are you?' }] },
      deadline: deadlineIn(clock, 90_000),
      signal: new AbortController().signal,
      ledger: { attempts: [] },
      redactHosts: (text: string) => text,
      listener,
    } as unknown as RunContext;
    const timeouts = { firstTokenMs: 60_000, idleMs: 30_000 };
    const deps = { clock, timeouts } as unknown as RunDeps;
    const fitted = { messages: run.request.messages, tokens: 12, notices: [] };
    for (const _ of scripts) await streamAttempt(provider, GLM, fitted, state, run, deps);
    return { heard, state, asked: provider.asked };
  }

  describe('text is emitted', () => {
    test('as it comes, once it is enough to be known again', async () => {
      const { heard } = await hear(fullAnswer('I', ' am', ' GLM', '.'));
      expect(heard).toEqual(['I am', ' GLM', '.']);
    });

    test('at the end, however little it is', async () => {
      const { heard, state } = await hear(fullAnswer('4', '2'));
      expect(heard).toEqual(['42']);
      expect(state.emittedText).toBe('42');
    });

    test('not at all when too little of it came to be continued', async () => {
      const { heard, state, asked } = await hear(
        [...textEvents('[', 'g'), CUT],
        fullAnswer('[g0', '-4] t1.'),
      );
      expect(heard).toEqual(['[g0-4] t1.']);
      expect(state.seams).toEqual([]);
      expect(asked[1]?.messages).toEqual(asked[0]?.messages);
    });

    test('before the call of a tool that follows it', async () => {
      const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
      const { heard } = await hear([...textEvents('Ok'), call, ...END]);
      expect(heard).toEqual(['Ok', '<measure {}>']);
    });

    test('before a call that wants no arguments, too', async () => {
      const { heard } = await hear([
        ...textEvents('Ok'),
        called({ id: 'c1', name: 'look' }),
        ...END,
      ]);
      expect(heard).toEqual(['Ok', '<look {}>']);
    });

    test('not yet when a call has only its name, which can be retried', async () => {
      const begun = [...textEvents('Ok'), called({ id: 'c1', name: 'measure' }), CUT];
      const { heard, state } = await hear(begun, fullAnswer('It is four degrees.'));
      expect(heard).toEqual(['It is four degrees.']);
      expect(state.seams).toEqual([]);
    });

    test('while reasoning is emitted at once', async () => {
      const thought: ChatEvent = { type: 'reasoning', text: 'hm' };
      const { heard } = await hear([...textEvents('I'), thought, ...fullAnswer(' am GLM.')]);
      expect(heard).toEqual(['(hm)', 'I am GLM.']);
    });

    test('before a call, also where it looks like a repetition', async () => {
      const cut: Script = [...textEvents('The quick brown fox '), CUT];
      const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
      const { heard } = await hear(cut, [
        ...textEvents('fox '),
        call,
        ...textEvents('and so on'),
        ...END,
      ]);
      expect(heard).toEqual(['The quick brown fox ', 'fox ', '<measure {}>', 'and so on']);
    });

    test('without its repetition, also where that comes after a call', async () => {
      const cut: Script = [...textEvents('The quick brown fox '), CUT];
      const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
      const { heard } = await hear(cut, [call, ...fullAnswer('The quick brown fox jumps.')]);
      expect(heard).toEqual(['The quick brown fox ', '<measure {}>', 'jumps.']);
    });
  });
});

describe('tell calls', () => {
  function teller() {
    const told: ToolCallPiece[] = [];
    const state = createRunState(planOf([]));
    const calls = createToolCallEmitter(state, { onToolCall: (piece) => told.push(piece) });
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

  test('a name without arguments is held back, so that a failure right after it can be retried', () => {
    const { told, state, calls } = teller();
    calls.take(name(0));
    expect(told).toEqual([]);
    expect(state.hasEmittedToolCalls).toBe(false);
  });

  test('with its first arguments the name is emitted, and everything after it as it streams', () => {
    const { told, state, calls } = teller();
    calls.take(name(0));
    calls.take(more(0, '{"a"'));
    calls.take(more(0, ':1}'));
    expect(told).toEqual([{ ...name(0), arguments: '{"a"' }, more(0, ':1}')]);
    expect(state.hasEmittedToolCalls).toBe(true);
  });

  test('a call without arguments is emitted when the answer is complete', () => {
    const { told, calls } = teller();
    calls.take(name(0));
    calls.take(name(1));
    calls.end();
    calls.end();
    expect(told).toEqual([0, 1].map((index) => ({ ...name(index), arguments: '{}' })));
  });

  test('calls are emitted in order, also when the arguments of a later one come first', () => {
    const { told, calls } = teller();
    calls.take(name(0));
    calls.take({ ...name(1), arguments: '{}' });
    calls.take(more(0, '{}'));
    expect(told).toEqual([name(0), { ...name(1), arguments: '{}' }, more(0, '{}')]);
  });

  test('without a listener for calls nothing counts as emitted', () => {
    const state = createRunState(planOf([]));
    const calls = createToolCallEmitter(state, {});
    calls.take({ ...name(0), arguments: '{}' });
    calls.end();
    expect(state.hasEmittedToolCalls).toBe(false);
  });
});
