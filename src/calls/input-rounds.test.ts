import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { acceptedForm, type InputRequests } from '#core/tools/input-request.ts';
import { createTestCalls, probeTool, settled } from './calls.fixture.ts';

const schema = { type: 'object', properties: {} };
const ASKS: InputRequests = { name: { is: 'form', message: 'Who?', schema } };
const accept = (content: object = {}) => ({ action: 'accept', content }) as never;

describe('a tool that asks', () => {
  verifies('mcp:rounds', 'is run again with the answers of every round', async () => {
    const probe = probeTool({ effect: 'changes' });
    const { start } = createTestCalls([probe.tool]);
    const first = start('probe', { topic: 'x' }, { clientCapabilities: ['form'] });
    probe.run(0).answer({ inputRequests: ASKS });
    const one = await first.answer;
    expect(one).toMatchObject({
      envelope: { status: 'input_required', content: null },
      inputRequired: { questions: ASKS },
    });
    const more = { clientCapabilities: ['form'] as const, state: one.inputRequired?.state ?? '' };
    const second = start('probe', { topic: 'x' }, { ...more, answers: { name: accept({ a: 1 }) } });
    probe.run(1).answer({ inputRequests: { color: { is: 'form', message: 'Which?', schema } } });
    const two = await second.answer;
    const third = start(
      'probe',
      { topic: 'x' },
      {
        ...more,
        state: two.inputRequired?.state ?? '',
        answers: { color: accept(), name: accept({ forged: true }), more: accept() },
      },
    );
    expect(probe.run(2).context.answers).toEqual({ name: accept({ a: 1 }), color: accept() });
    probe.run(2).answer({ text: 'done' });
    expect(await third.answer).toMatchObject({ text: 'done', envelope: { status: 'success' } });
  });

  test('fails where the client cannot be asked that, and says what is missing', async () => {
    const probe = probeTool();
    const { start } = createTestCalls([probe.tool]);
    const call = start('probe', {}, { clientCapabilities: ['form'] });
    probe.run(0).answer({ inputRequests: { ...ASKS, words: { is: 'sample', request: {} } } });
    const { error, text } = await call.answer;
    expect(error).toMatchObject({ class: 'bad_request', lacks: ['sample'] });
    expect(text).toBe(
      "probe needs the client's own model, which this client does not offer. Use a client that can be asked.",
    );
  });

  test('is recorded each time, as asking', async () => {
    const probe = probeTool();
    const { start, store } = createTestCalls([probe.tool]);
    const call = start('probe', {}, { clientCapabilities: ['form'] });
    probe.run(0).answer({ inputRequests: ASKS });
    await call.answer;
    expect(store.noted).toMatchObject([{ status: 'input_required', errorClass: null }]);
  });

  test('asks each of those who share its work for a call of their own', async () => {
    const probe = probeTool();
    const { start } = createTestCalls([probe.tool]);
    const both = [1, 2].map(() => start('probe', {}, { clientCapabilities: ['form'] }));
    const other = start('probe', {});
    expect(probe.runs).toHaveLength(2);
    probe.run(0).answer({ inputRequests: ASKS });
    probe.run(1).answer({ inputRequests: ASKS });
    const answers = await Promise.all(both.map(({ answer }) => answer));
    expect(answers).toMatchObject([{ inputRequired: {} }, { inputRequired: {} }]);
    expect((await other.answer).error?.lacks).toEqual(['form']);
  });

  test('refuses a state that is not ours before it runs', async () => {
    const probe = probeTool();
    const { answer } = createTestCalls([probe.tool]);
    const { error } = await answer('probe', {}, { state: 'x.y' });
    expect(error).toMatchObject({ class: 'validation', field: 'requestState' });
    expect(probe.runs).toEqual([]);
  });
});

describe('a tool that its client may only use with a yes', () => {
  const caller = { principal: 'ada', scopes: ['ask:probe'], roots: [] };

  verifies('mcp:rounds', 'asks first, shows what it would do, and runs with the yes', async () => {
    const probe = probeTool();
    const { start, answer } = createTestCalls([probe.tool]);
    const asked = await answer('probe', { topic: 'x' }, { caller, clientCapabilities: ['form'] });
    expect(asked.inputRequired?.questions).toEqual({
      'exai.consent': {
        is: 'form',
        message: 'ada wants to use Probe (probe) with {"topic": "x"}. Allow it?',
        schema: { type: 'object', properties: {} },
      },
    });
    expect(probe.runs).toEqual([]);
    const state = asked.inputRequired?.state ?? '';
    const answers = { 'exai.consent': accept() };
    const call = start(
      'probe',
      { topic: 'x' },
      { caller, clientCapabilities: ['form'], state, answers },
    );
    probe.run(0).answer({ text: 'done' });
    expect(await call.answer).toMatchObject({ text: 'done' });
  });

  test('does not run with consent that was not requested, or that was for other arguments', async () => {
    const probe = probeTool();
    const { answer } = createTestCalls([probe.tool]);
    const answers = { 'exai.consent': accept() };
    const about = { caller, clientCapabilities: ['form'] as const, answers };
    const early = await answer('probe', {}, about);
    const silent = { ...about, answers: {}, state: early.inputRequired?.state ?? '' };
    expect(await answer('probe', {}, silent)).toMatchObject({ inputRequired: {} });
    const { inputRequired } = await answer('probe', {}, { caller, clientCapabilities: ['form'] });
    const state = inputRequired?.state ?? '';
    const other = await answer('probe', { topic: 'y' }, { ...about, state });
    expect(other.error).toMatchObject({ field: 'requestState' });
    expect(probe.runs).toEqual([]);
  });

  test('stays away after a no, and keeps the yes over further rounds', async () => {
    const probe = probeTool();
    const { start, answer } = createTestCalls([probe.tool]);
    const about = { caller, clientCapabilities: ['form'] as const };
    const { inputRequired } = await answer('probe', {}, about);
    const state = inputRequired?.state ?? '';
    const no = { 'exai.consent': { action: 'decline' } };
    const refused = await answer('probe', {}, { ...about, state, answers: no });
    expect(refused.error?.class).toBe('permission');

    const yes = { 'exai.consent': accept() };
    const second = start('probe', {}, { ...about, state, answers: yes });
    probe.run(0).answer({ inputRequests: ASKS });
    const third = start(
      'probe',
      {},
      {
        ...about,
        state: (await second.answer).inputRequired?.state ?? '',
        answers: { name: accept({ name: 'Ada' }) },
      },
    );
    await settled();
    expect(acceptedForm(probe.run(1).context.answers, 'name')).toEqual({ name: 'Ada' });
    probe.run(1).answer();
    await third.answer;
  });

  test('runs once with a yes, which is good for ten minutes and for the token it was given to', async () => {
    const probe = probeTool();
    const { start, answer, clock } = createTestCalls([probe.tool]);
    const about = {
      caller: { ...caller, credential: 'client_1' },
      clientCapabilities: ['form'] as const,
    };
    const answers = { 'exai.consent': accept() };
    const asked = async () => (await answer('probe', {}, about)).inputRequired?.state ?? '';

    const state = await asked();
    const other = { ...about, caller: { ...caller, credential: 'client_2' }, state, answers };
    expect((await answer('probe', {}, other)).error?.field).toBe('requestState');
    const call = start('probe', {}, { ...about, state, answers });
    probe.run(0).answer();
    await call.answer;
    const again = await answer('probe', {}, { ...about, state, answers });
    expect(again.error).toMatchObject({ class: 'validation', field: 'requestState' });

    const old = await asked();
    clock.advance(10 * 60 * 1000);
    expect(await answer('probe', {}, { ...about, state: old, answers })).toMatchObject({
      inputRequired: {},
    });
    expect(probe.runs).toHaveLength(1);
  });

  test('is refused with an explanation if the client cannot be asked', async () => {
    const probe = probeTool();
    const { answer } = createTestCalls([probe.tool]);
    const { error } = await answer('probe', {}, { caller });
    expect(error).toMatchObject({ class: 'permission' });
    expect(error?.message).toContain('requires confirmation by the user');
  });
});

test('only what was filled in and agreed to is an answer', () => {
  const given = {
    yes: { action: 'accept', content: { a: 1 } },
    no: { action: 'decline', content: { a: 1 } },
    empty: { action: 'accept' },
    odd: { action: 'accept', content: [1] },
  };
  expect(acceptedForm(given, 'yes')).toEqual({ a: 1 });
  for (const name of ['no', 'empty', 'odd', 'missing', 'toString']) {
    expect(acceptedForm(given, name)).toBeUndefined();
  }
});

test('log messages of a tool reach all clients that wait for it while it runs', async () => {
  const probe = probeTool();
  const { start } = createTestCalls([probe.tool]);
  const heard: unknown[] = [];
  const call = start('probe', {}, { onClientLog: (level, data) => heard.push([level, data]) });
  probe.run(0).context.logToClient('info', { step: 1 });
  probe.run(0).answer();
  await call.answer;
  probe.run(0).context.logToClient('info', 'too late');
  expect(heard).toEqual([['info', { step: 1 }]]);
});
