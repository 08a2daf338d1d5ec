import { expect } from 'vitest';
import { envelopeOf } from '../../../read-envelope.ts';
import { callToTheEnd, questionsOf, reply, type Finished } from '../call-to-the-end.ts';
import type { Peer } from '../peer.ts';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { call, expectError, failureOf, textOf, until } from './words.ts';

const ELICIT = 'elicitation/create';
const SAMPLE = 'sampling/createMessage';
const ROOTS = 'roots/list';
const GREETING = {
  role: 'assistant',
  model: 'a-model',
  content: { type: 'text', text: 'Good day' },
};
const FOLDERS = { roots: [{ uri: 'file:///home/ada', name: 'Ada' }] };

function accept(content: rpc.Members): () => rpc.Members {
  return () => ({ action: 'accept', content });
}

function toTheEnd(peer: Peer, name: string, args: rpc.Members = {}): Promise<Finished> {
  return callToTheEnd(peer, 'tools/call', { name, arguments: args });
}

function answerEverything(peer: Peer): void {
  peer.answer(ELICIT, accept({ name: 'Ada' }));
  peer.answer(SAMPLE, () => GREETING);
  peer.answer(ROOTS, () => FOLDERS);
}

/** What a tool asks of its client before it goes on. */
export const askingRows: readonly Requirement[] = [
  {
    id: 'elicitation:accepted',
    says: 'a tool asks its user with a form, and is given what was filled in',
    eras: 'both',
    async run(peer) {
      peer.answer(ELICIT, accept({ username: 'ada', email: 'ada@example.com' }));
      const answer = await toTheEnd(peer, 'test_elicitation', { message: 'Who are you?' });
      expect(answer.asked).toMatchObject([
        {
          method: ELICIT,
          params: {
            message: 'Who are you?',
            requestedSchema: {
              type: 'object',
              properties: { username: { type: 'string' }, email: { type: 'string' } },
              required: ['username', 'email'],
            },
          },
        },
      ]);
      expect(textOf(answer)).toBe(
        'User response: action=accept, content={"username":"ada","email":"ada@example.com"}',
      );
    },
  },
  {
    id: 'elicitation:declined',
    says: 'a tool is told when its user declines, or closes the form',
    eras: 'both',
    async run(peer) {
      for (const action of ['decline', 'cancel']) {
        peer.answer(ELICIT, () => ({ action }));
        const answer = await toTheEnd(peer, 'test_elicitation', { message: 'Who are you?' });
        expect(textOf(answer)).toContain(`action=${action}`);
      }
    },
  },
  {
    id: 'elicitation:schemas',
    says: 'the defaults and the choices of a form arrive unchanged',
    eras: 'both',
    async run(peer) {
      peer.answer(ELICIT, accept({}));
      const defaults = await toTheEnd(peer, 'test_elicitation_sep1034_defaults');
      expect(rpc.at(defaults.asked, '0.params.requestedSchema.properties')).toMatchObject({
        name: { default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { default: 95.5 },
        status: { enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      });
      const choices = await toTheEnd(peer, 'test_elicitation_sep1330_enums');
      expect(rpc.at(choices.asked, '0.params.requestedSchema.properties')).toMatchObject({
        titledSingle: { oneOf: [{ const: 'value1', title: 'First Option' }, {}, {}] },
        legacyEnum: { enumNames: ['Option One', 'Option Two', 'Option Three'] },
        untitledMulti: { type: 'array', items: { enum: ['option1', 'option2', 'option3'] } },
      });
    },
  },
  {
    id: 'sampling',
    says: 'a tool asks the model of its client',
    eras: 'both',
    async run(peer) {
      peer.answer(SAMPLE, () => GREETING);
      const answer = await toTheEnd(peer, 'test_sampling', { prompt: 'Say hello' });
      expect(answer.asked).toMatchObject([
        {
          method: SAMPLE,
          params: {
            messages: [{ role: 'user', content: { type: 'text', text: 'Say hello' } }],
            maxTokens: 100,
          },
        },
      ]);
      expect(textOf(answer)).toBe('LLM response: Good day');
    },
  },
  {
    id: 'roots',
    says: 'a tool asks for the folders of its client',
    eras: 'both',
    async run(peer) {
      peer.answer(ROOTS, () => FOLDERS);
      const answer = await toTheEnd(peer, 'test_input_required_result_list_roots');
      expect(answer.asked.map(({ method }) => method)).toEqual([ROOTS]);
      expect(textOf(answer)).toContain('file:///home/ada');
    },
  },
  {
    id: 'asking:several',
    says: 'a tool asks several things at once, and is given each answer',
    eras: 'both',
    async run(peer) {
      answerEverything(peer);
      const answer = await toTheEnd(peer, 'test_input_required_result_multiple_inputs');
      const methods = answer.asked.map(({ method }) => method);
      expect(methods.toSorted()).toEqual([ELICIT, ROOTS, SAMPLE]);
      expect(textOf(answer)).toBe('Good day Ada, from file:///home/ada');
      expect(answer.rounds).toHaveLength(peer.era === 'modern' ? 1 : 0);
    },
  },
  {
    id: 'asking:rounds',
    says: 'a tool asks again when it has the first answer, and forgets none',
    eras: 'both',
    async run(peer) {
      peer.answer(ELICIT, ({ message }) =>
        String(message).startsWith('Step 1')
          ? { action: 'accept', content: { name: 'Ada' } }
          : { action: 'accept', content: { color: 'green' } },
      );
      const answer = await toTheEnd(peer, 'test_input_required_result_multi_round');
      expect(textOf(answer)).toBe('Ada likes green');
      expect(answer.asked).toHaveLength(2);
      if (peer.era === 'modern')
        expect(answer.rounds.map(Object.keys)).toEqual([['step1'], ['step2']]);
    },
  },
  {
    id: 'asking:together',
    says: 'two calls that ask at once are each given their own answer',
    eras: 'both',
    async run(peer) {
      peer.answer(ELICIT, ({ message }) => ({
        action: 'accept',
        content: { username: String(message), email: 'x@example.com' },
      }));
      const names = Array.from({ length: 8 }, (_, index) => `user ${index}`);
      const answers = await Promise.all(
        names.map((message) => toTheEnd(peer, 'test_elicitation', { message })),
      );
      for (const [index, answer] of answers.entries()) {
        expect(textOf(answer)).toContain(`"username":"user ${index}"`);
      }
    },
  },
  {
    id: 'asking:tampered',
    says: 'a state that was changed on its way, or belongs to another call, is refused',
    eras: 'modern',
    async run(peer, context) {
      peer.answer(ELICIT, accept({ ok: true }));
      const name = 'test_input_required_result_tampered_state';
      const first = await call(peer, name);
      const again = await reply(peer, first);
      const state = String(again['requestState']);
      const changed = `${state.startsWith('A') ? 'B' : 'A'}${state.slice(1)}`;
      for (const requestState of [changed, `${state}A`, state.slice(0, -1), '', '....']) {
        const answer = await peer.request('tools/call', { name, ...again, requestState });
        expectError(answer, rpc.INVALID_PARAMS, context);
      }
      const other = { name: 'test_input_required_result_request_state', ...again };
      expectError(await peer.request('tools/call', other), rpc.INVALID_PARAMS, context);
      const right = await peer.request('tools/call', { name, ...again });
      expect(textOf(right)).toContain('The state came back unchanged');
    },
  },
  {
    id: 'asking:again',
    says: 'an answer that does not fit its question is asked for again',
    eras: 'modern',
    async run(peer) {
      const name = 'test_input_required_result_elicitation';
      const first = await call(peer, name);
      expect(questionsOf(first)).toHaveProperty('user_name');
      const wrong = {
        inputResponses: { nobody_asked: { action: 'accept', content: { name: 'x' } } },
      };
      const second = await peer.request('tools/call', {
        name,
        ...wrong,
        requestState: first.result?.['requestState'],
      });
      expect(second.result).toMatchObject({ resultType: 'input_required' });
      expect(questionsOf(second)).toHaveProperty('user_name');
    },
  },
  {
    id: 'asking:odd',
    says: 'answers and states that are put together wrongly are refused',
    eras: 'modern',
    async run(peer, context) {
      const name = 'test_input_required_result_elicitation';
      for (const odd of [
        { inputResponses: 'yes' },
        { inputResponses: { user_name: 'Ada' } },
        { requestState: 7 },
        { inputResponses: {}, requestState: 'none of yours' },
      ]) {
        const answer = await peer.request('tools/call', { name, ...odd });
        expectError(answer, rpc.INVALID_PARAMS, context);
      }
    },
  },
  {
    id: 'asking:undeclared',
    says: 'a client that cannot be asked is told what it lacks',
    eras: 'both',
    peer: { capabilities: {} },
    async run(peer, context) {
      const answer = await call(peer, 'test_missing_capability');
      expect(answer.asked).toEqual([]);
      if (peer.era === 'modern') {
        expectError(answer, rpc.MISSING_CAPABILITY, context, 400);
        expect(answer.error?.data).toMatchObject({ requiredCapabilities: { sampling: {} } });
      } else expect(failureOf(answer)).toContain('model');
    },
  },
  {
    id: 'asking:declared',
    says: 'a client is asked only what it said that it can be asked',
    eras: 'both',
    peer: { capabilities: { elicitation: {}, roots: {} } },
    async run(peer) {
      answerEverything(peer);
      const answer = await toTheEnd(peer, 'test_input_required_result_capabilities');
      expect(answer.asked.map(({ method }) => method).toSorted()).toEqual([ELICIT, ROOTS]);
      expect(textOf(answer)).toBe('Answered: user_name, client_roots');
    },
  },
  {
    id: 'asking:refused',
    says: 'a client that answers with an error ends the call with words',
    eras: 'legacy',
    async run(peer) {
      peer.answer(ELICIT, () => Promise.reject(new Error('The form is broken')));
      const answer = await call(peer, 'test_elicitation', { message: 'Who are you?' });
      expect(failureOf(answer)).toContain('The form is broken');
    },
  },
  {
    id: 'asking:withdrawn',
    says: 'a question is taken back when its call is cancelled',
    eras: 'legacy',
    async run(peer) {
      let asked: () => void;
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      peer.answer(ELICIT, () => {
        asked();
        return new Promise(() => {});
      });
      const { id, answer } = peer.start('tools/call', {
        name: 'test_elicitation',
        arguments: { message: 'Who are you?' },
      });
      await isAsked;
      await peer.cancel(id);
      const { result, error, told } = await answer;
      expect([result, error]).toEqual([undefined, undefined]);
      const isTaken = () =>
        [...told, ...peer.heard.all].some(({ method }) => method === 'notifications/cancelled');
      await until(isTaken, (taken) => expect(taken).toBe(true));
      expect(peer.strays.all).toEqual([]);
    },
  },
  {
    id: 'consent:yes',
    says: 'a tool that requires confirmation asks for it, and runs after a yes',
    eras: 'both',
    peer: { as: 'asking' },
    async run(peer) {
      peer.answer(ELICIT, accept({}));
      const answer = await toTheEnd(peer, 'version');
      expect(answer.asked).toMatchObject([
        { method: ELICIT, params: { message: expect.stringContaining('version') as string } },
      ]);
      expect(textOf(answer)).toContain('EX-AI');
    },
  },
  {
    id: 'consent:no',
    says: 'a tool that requires confirmation does not run after a no',
    eras: 'both',
    peer: { as: 'asking' },
    async run(peer) {
      for (const action of ['decline', 'cancel']) {
        peer.answer(ELICIT, () => ({ action }));
        const answer = await toTheEnd(peer, 'version');
        expect(answer.asked).toHaveLength(1);
        expect(failureOf(answer)).toContain('did not allow version');
        expect(envelopeOf(answer.result)).toMatchObject({ error_class: 'permission' });
      }
    },
  },
  {
    id: 'consent:forged',
    says: 'a yes that nobody was asked for counts for nothing',
    eras: 'modern',
    peer: { as: 'asking' },
    async run(peer) {
      const first = await call(peer, 'version');
      const [name = ''] = Object.keys(questionsOf(first));
      expect(name).not.toBe('');
      const inputResponses = { [name]: { action: 'accept', content: {} } };
      const forged = await peer.request('tools/call', { name: 'version', inputResponses });
      expect(forged.result).toMatchObject({ resultType: 'input_required' });
    },
  },
  {
    id: 'consent:unasked',
    says: 'a tool that requires confirmation is refused to a client that cannot be asked',
    eras: 'both',
    peer: { as: 'asking', capabilities: {} },
    async run(peer) {
      expect(failureOf(await call(peer, 'version'))).toContain('requires confirmation');
    },
  },
];
