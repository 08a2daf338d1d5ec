import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { AskListener, AskRequest, ToolCallPiece } from '#core/llm/ask.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { verifies } from '../../../test/verifies.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { PlannedModel } from '../route/plan.ts';
import { prepareContinuation } from './continue-answer.ts';
import { newCandidate } from './new-candidate.ts';
import { planOf } from './plan.fixture.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { createRunState } from './run-state.ts';
import { END, fullAnswer, scripted, textEvents, type Script } from './scripted.fixture.ts';
import { streamAttempt } from './stream-attempt.ts';

describe('speak', () => {
  const CUT = new CallError('network', 'Cut.');
  const GLM = {
    provider: 'glm',
    model: 'glm-5.3',
    entry: { maxStops: 1, thinking: { control: 'never', default: 'off' } },
  } as unknown as PlannedModel;

  const called = (piece: Partial<ToolCallPiece>): ChatEvent & { readonly type: 'tool_call' } => ({
    type: 'tool_call',
    index: 0,
    arguments: '',
    ...piece,
  });

  const TOOLS = ['look', 'measure', 'read_file'].map((name) => ({
    name,
    description: '',
    parameters: {},
  }));

  /** One after the other is asked; what their reader hears, as it comes. */
  const hear = Object.assign((...scripts: readonly Script[]) => hearing({}, scripts), {
    with:
      (more: Partial<AskRequest>) =>
      (...scripts: readonly Script[]) =>
        hearing(more, scripts),
  });

  async function hearing(more: Partial<AskRequest>, scripts: readonly Script[]) {
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
      plan: planOf([GLM]),
      request: { messages: [{ role: 'user', content: 'Who are you?' }], tools: TOOLS, ...more },
      deadline: deadlineIn(clock, 90_000),
      signal: new AbortController().signal,
      ledger: { attempts: [] },
      redactHosts: (text: string) => text,
      listener,
    } as unknown as RunContext;
    const timeouts = { firstTokenMs: 60_000, idleMs: 30_000 };
    const deps = { clock, timeouts } as unknown as RunDeps;
    const fitted = { messages: run.request.messages, tokens: 12, notices: [] };
    const results: ProviderCallResult[] = [];
    const prepared = {
      candidateState: newCandidate(GLM),
      provider,
      fitted,
      spending: { admitFollowUp: async () => undefined, settle: () => undefined },
      permit: { success() {}, failure() {}, cancel() {} },
    };
    for (const _ of scripts) {
      const continuation = await prepareContinuation(state, provider, undefined);
      results.push(await streamAttempt({ ...prepared, continuation }, state, run, deps));
    }
    return { heard, state, results, asked: provider.asked };
  }

  describe('text is emitted', () => {
    test('as it comes, once it is enough to be known again, and word by word', async () => {
      const { heard } = await hear(fullAnswer('I', ' am', ' GLM', '.'));
      expect(heard).toEqual(['I am', ' GLM.']);
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
      expect(heard.join('')).toBe('[g0-4] t1.');
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
      expect(heard.join('')).toBe('It is four degrees.');
      expect(state.seams).toEqual([]);
    });

    test('while reasoning is emitted at once', async () => {
      const thought: ChatEvent = { type: 'reasoning', text: 'hm' };
      const { heard } = await hear([...textEvents('I'), thought, ...fullAnswer(' am GLM.')]);
      expect(heard).toEqual(['(hm)', 'I am', ' GLM.']);
    });

    test('before a call, without the last word that is said again', async () => {
      const cut: Script = [...textEvents('The quick brown fox '), CUT];
      const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
      const { heard } = await hear(cut, [
        ...textEvents('brown '),
        call,
        ...textEvents('and so on'),
        ...END,
      ]);
      expect(heard).toEqual(['The quick brown', ' and so', ' on', '<measure {}>']);
    });

    test('without its repetition, also where that comes after a call', async () => {
      const cut: Script = [...textEvents('The quick brown fox '), CUT];
      const call = called({ id: 'c1', name: 'measure', arguments: '{}' });
      const { heard } = await hear(cut, [call, ...fullAnswer('The quick brown fox jumps.')]);
      expect(heard).toEqual(['The quick brown', ' fox', ' jumps.', '<measure {}>']);
    });
  });

  describe('a call that the client cannot make', () => {
    const undeclared = called({ id: 'c1', name: 'erase', arguments: '{}' });
    const whole = called({ id: 'c1', name: 'look', arguments: '{}' });
    const errorOf = ({ outcome }: ProviderCallResult) =>
      outcome.is === 'failed' ? outcome.error.message : outcome.finish;

    for (const toolCallDelivery of ['whole', 'stream'] as const) {
      verifies('gateway:callable', `fails the attempt, ${toolCallDelivery}`, async () => {
        const cases = [
          [{}, undeclared, 'It called erase, but the request has no such tool.'],
          [{ toolChoice: 'none' }, whole, 'It called look, but tool_choice is none.'],
          [{ tools: [] }, whole, 'It called look, but the request has no tools.'],
        ] as const;
        for (const [more, call, message] of cases) {
          const ask = hear.with({ ...more, toolCallDelivery });
          const { heard, state, results } = await ask([call, ...END]);
          expect(results.map(errorOf)).toEqual([message]);
          expect(heard).toEqual([]);
          expect(state).toMatchObject({ hasEmittedToolCalls: false, lostCall: undefined });
        }
      });

      verifies('gateway:callable', `holds the calls after it, ${toolCallDelivery}`, async () => {
        const next = called({ index: 1, id: 'c2', name: 'look', arguments: '{}' });
        const ask = hear.with({ toolCallDelivery });
        const { heard, results } = await ask([undeclared, next, ...END]);
        expect(heard).toEqual([]);
        expect(results).toMatchObject([{ outcome: { is: 'failed' } }]);
      });
    }

    verifies('gateway:callable', 'passes after a call that was streamed already', async () => {
      const next = called({ index: 1, id: 'c2', name: 'erase', arguments: '{}' });
      const ask = hear.with({ toolCallDelivery: 'stream' });
      const { heard, results } = await ask([whole, next, ...END]);
      expect(heard).toEqual(['<look {}>', '<erase {}>']);
      expect(results).toMatchObject([{ outcome: { is: 'answered' } }]);
    });
  });

  describe('a tool call that breaks off', () => {
    const TEXT = 'Let me look at the file.';
    const begun = called({ id: 'c1', name: 'read_file', arguments: '{"path":"a' });
    const whole = called({ id: 'c2', name: 'read_file', arguments: '{"path":"a.ts"}' });

    test('is not seen by the client, and is asked for again', async () => {
      const { heard, state } = await hear([begun, CUT], [whole, ...END]);
      expect(heard).toEqual(['<read_file {"path":"a.ts"}>']);
      expect(state.seams).toEqual([]);
    });

    test('after a text: the next continues the text, knows of the call and has the tools', async () => {
      const tools = [{ name: 'read_file', description: '', parameters: {} }];
      const { heard, asked } = await hear.with({ tools })(
        [...textEvents(TEXT), begun, CUT],
        [whole, ...END],
      );
      expect(heard).toEqual(['Let me look at the', ' file.', '<read_file {"path":"a.ts"}>']);
      expect(asked[1]?.tools).toEqual(tools);
      expect(asked[1]?.messages.at(-2)).toEqual({ role: 'assistant', content: TEXT });
      expect(asked[1]?.messages.at(-1)?.content).toContain('your call of the tool read_file');
    });

    test('is streamed where the caller prefers that, and then cannot be asked for again', async () => {
      const streamed = { toolCallDelivery: 'stream' } as const;
      const { heard, state } = await hear.with(streamed)([begun, CUT]);
      expect(heard).toEqual(['<read_file {"path":"a>']);
      expect(state.hasEmittedToolCalls).toBe(true);
    });
  });

  describe('a stop text', () => {
    test('ends the answer and the stream; what came after it counts as used', async () => {
      const { heard, results } = await hear.with({ stop: ['STOP', 'x'] })([
        ...textEvents('One two S', 'TOP three four five'),
        'silence',
      ]);
      expect(heard.join('')).toBe('One two ');
      expect(results[0]?.outcome).toMatchObject({
        is: 'answered',
        finish: 'stop',
        stopText: 'STOP',
        answer: { text: 'One two ', usage: { estimated: true } },
      });
      const { usage } = results[0]?.outcome.answer ?? {};
      expect(usage?.output).toBeGreaterThan(6);
    });

    test('is not the end where only its beginning came', async () => {
      const { heard, results } = await hear.with({ stop: ['STOP'] })(
        fullAnswer('One two ST', 'EM'),
      );
      expect(heard.join('')).toBe('One two STEM');
      expect(results[0]?.outcome).not.toHaveProperty('stopText');
    });

    test('across a seam ends the answer there', async () => {
      const cut: Script = [...textEvents('One two three ST'), CUT];
      const { heard, results } = await hear.with({ stop: ['STOP'] })(
        cut,
        fullAnswer(' three STOP four five'),
      );
      expect(heard.join('')).toBe('One two three ');
      expect(results[1]?.outcome).toMatchObject({ is: 'answered', stopText: 'STOP' });
    });

    test('that the vendor names is reported, if it is one of the request', async () => {
      const named = (stopText: string): Script => [
        ...textEvents('One two three.'),
        { type: 'finish', reason: 'stop', stopText },
      ];
      const asked = hear.with({ stop: ['END'] });
      expect((await asked(named('END'))).results[0]?.outcome).toMatchObject({ stopText: 'END' });
      expect((await asked(named('other'))).results[0]?.outcome).not.toHaveProperty('stopText');
    });
  });
});
