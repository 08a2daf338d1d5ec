import type { ChatMessage } from '#core/llm/chat.ts';
import { answer, brief, must, wrong, type ContractCase } from './provider-contract-cases.ts';
import { ADD, user } from './provider-requests.ts';

const SUMS = ['What is 2 + 3?', 'Add 4 to it.', 'Add 1 to it.'];

/** Rules of one vendor that its documents or others' measurements name, and no key of ours has shown yet. */
export const CONTRACT_RULES: readonly ContractCase[] = [
  ...[
    { provider: 'kimi', model: 'kimi-k3' },
    { provider: 'kimi', model: 'kimi-k2.6' },
    { provider: 'glm', model: 'glm-5.3' },
  ].map((only): ContractCase => ({
    name: `three turns with the thoughts of each (${only.model})`,
    needs: [],
    chats: SUMS.length,
    only,
    async run(provider, model, context) {
      let messages: readonly ChatMessage[] = [];
      let last = '';
      for (const sum of SUMS) {
        messages = [...messages, ...user(`${sum} Answer with the number.`)];
        const { text, reasoning, reasoningDetails } = await answer(
          provider,
          { model, delivery: 'stream', messages, thinking: { mode: 'on', effort: 'low' } },
          context(),
        );
        messages = [...messages, { role: 'assistant', content: text, reasoning, reasoningDetails }];
        last = text;
      }
      must(last !== '', 'The third turn is empty.');
      return brief(last);
    },
  })),
  ...[
    { provider: 'kimi', model: 'kimi-k3', ask: 'Add 19 and 23.' },
    // GLM ignores the choice, so that the answer is checked.
    { provider: 'glm', model: 'glm-4.6', ask: 'Use the tool add_numbers to add 19 and 23.' },
  ].map(({ ask, ...only }): ContractCase => ({
    name: `a tool that is required is called (${only.model})`,
    needs: [],
    chats: 2,
    only,
    async run(provider, model, context) {
      const { toolCalls, text } = await answer(
        provider,
        { model, delivery: 'whole', messages: user(ask), tools: [ADD], toolChoice: 'required' },
        context(),
      );
      const [call] = toolCalls;
      if (!call) throw wrong(`No tool was called: ${brief(text)}`);
      return brief(call.arguments);
    },
  })),
  {
    name: 'an output limit above 32,768 is taken',
    needs: [],
    chats: 1,
    only: { provider: 'kimi', model: 'kimi-k2.6' },
    async run(provider, model, context) {
      const { text, notices } = await answer(
        provider,
        {
          model,
          delivery: 'whole',
          messages: user('What is 2 + 3? Answer with the number.'),
          maxOutputTokens: 64_000,
          thinking: { mode: 'off' },
        },
        context(),
      );
      must(notices.length === 0, `It was changed: ${notices.map(({ code }) => code).join(', ')}`);
      return brief(text);
    },
  },
  {
    name: 'the ids of K3.1 are in the list',
    needs: ['models'],
    only: { provider: 'kimi', model: 'kimi-k3.1-pro' },
    async run(provider, _, context) {
      const listed = (await provider.models?.(context())) ?? [];
      const ids = listed.map(({ id }) => id).filter((id) => id.startsWith('kimi-k3.1'));
      must(ids.includes('kimi-k3.1-pro-highspeed'), `There are: ${ids.join(', ') || 'none'}`);
      return ids.join(', ');
    },
  },
  {
    name: 'reasoning that is mandatory is not turned off',
    needs: [],
    chats: 1,
    only: { provider: 'openrouter', model: 'moonshotai/kimi-k3' },
    async run(provider, model, context) {
      const { text, notices } = await answer(
        provider,
        { model, delivery: 'whole', messages: user('Say yes.'), thinking: { mode: 'off' } },
        context(),
      );
      const codes = notices.map(({ code }) => code);
      must(codes.includes('thinking_stays_on'), `Its notices: ${codes.join(', ') || 'none'}`);
      return brief(text);
    },
  },
  {
    name: "Kimi's rules for schemas behind OpenRouter",
    needs: [],
    chats: 1,
    only: { provider: 'openrouter', model: 'moonshotai/kimi-k2.6' },
    async run(provider, model, context) {
      const parameters = {
        type: 'object',
        properties: {
          a: { type: 'number' },
          b: { type: 'number' },
          unit: { enum: ['m', 1, null] },
        },
        required: ['a', 'b'],
      };
      const messages = user('Use the tool add_numbers to add 19 and 23.');
      const request = { model, delivery: 'whole', messages } as const;
      const tools = [{ ...ADD, parameters }];
      const { toolCalls } = await answer(provider, { ...request, tools }, context());
      must(toolCalls.length > 0, 'No tool was called.');
      return brief(toolCalls[0]?.arguments ?? '');
    },
  },
];
