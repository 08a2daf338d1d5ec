import { describe, expect, test } from 'vitest';
import type { AskListener, ToolCallPiece } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { ChatEvent } from '#core/chat.ts';
import { deadlineIn } from '#core/deadline.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { PlannedModel } from '../plan.ts';
import { planOf } from './plan.fixture.ts';
import type { Run, RunDeps } from './run-plan.ts';
import { createRunState } from './run-state.ts';
import { says, scripted, words, END, type Script } from './scripted.fixture.ts';
import { speak } from './speak.ts';

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
    conceal: (text: string) => text,
    listener,
  } as unknown as Run;
  const patience = { firstTokenMs: 60_000, idleMs: 30_000 };
  const deps = { clock, patience } as unknown as RunDeps;
  const fitted = { messages: run.request.messages, tokens: 12, notices: [] };
  for (const _ of scripts) await speak(provider, GLM, fitted, state, run, deps);
  return { heard, state, asked: provider.asked };
}

describe('what is said is told', () => {
  test('as it comes, once it is enough to be known again', async () => {
    const { heard } = await hear(says('I', ' am', ' GLM', '.'));
    expect(heard).toEqual(['I am', ' GLM', '.']);
  });

  test('at the end, however little it is', async () => {
    const { heard, state } = await hear(says('4', '2'));
    expect(heard).toEqual(['42']);
    expect(state.told).toBe('42');
  });

  test('not at all when so little of it came that nobody could go on with it', async () => {
    const { heard, state, asked } = await hear([...words('[', 'g'), CUT], says('[g0', '-4] t1.'));
    expect(heard).toEqual(['[g0-4] t1.']);
    expect(state.seams).toEqual([]);
    expect(asked[1]?.messages).toEqual(asked[0]?.messages);
  });

  test('before the call of a tool that follows it', async () => {
    const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
    const { heard } = await hear([...words('Ok'), call, ...END]);
    expect(heard).toEqual(['Ok', '<measure {}>']);
  });

  test('before a call that wants no arguments, too', async () => {
    const { heard } = await hear([...words('Ok'), called({ id: 'c1', name: 'look' }), ...END]);
    expect(heard).toEqual(['Ok', '<look {}>']);
  });

  test('not yet when a call has but its name, which may be asked for anew', async () => {
    const begun = [...words('Ok'), called({ id: 'c1', name: 'measure' }), CUT];
    const { heard, state } = await hear(begun, says('It is four degrees.'));
    expect(heard).toEqual(['It is four degrees.']);
    expect(state.seams).toEqual([]);
  });

  test('while thoughts are told at once', async () => {
    const thought: ChatEvent = { type: 'reasoning', text: 'hm' };
    const { heard } = await hear([...words('I'), thought, ...says(' am GLM.')]);
    expect(heard).toEqual(['(hm)', 'I am GLM.']);
  });

  test('before a call, also where it looks like the repetition of what another said', async () => {
    const cut: Script = [...words('The quick brown fox '), CUT];
    const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
    const { heard } = await hear(cut, [...words('fox '), call, ...words('and so on'), ...END]);
    expect(heard).toEqual(['The quick brown fox ', 'fox ', '<measure {}>', 'and so on']);
  });

  test('without its repetition, also where that comes after a call', async () => {
    const cut: Script = [...words('The quick brown fox '), CUT];
    const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
    const { heard } = await hear(cut, [call, ...says('The quick brown fox jumps.')]);
    expect(heard).toEqual(['The quick brown fox ', '<measure {}>', 'jumps.']);
  });
});
