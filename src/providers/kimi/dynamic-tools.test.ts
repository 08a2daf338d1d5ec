import { describe, expect, test } from 'vitest';
import type { ChatMessage, ChatRequest, ChatTool } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, useKimiWorld } from './kimi.fixture.ts';
import { body, K26, K3, USER } from './write-request.fixture.ts';

const world = useKimiWorld();

const tool = (name: string): ChatTool => ({
  name,
  description: `Gives the ${name}.`,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});
const [WEATHER, NEWS] = [tool('weather'), tool('news')];
const BOTH = { messages: [{ ...USER, addsTools: ['news'] }], tools: [WEATHER, NEWS] };

const namesOf = (tools: unknown) =>
  (tools as { function: { name: string } }[] | undefined)?.map((each) => each.function.name);

describe('tools that a message adds', () => {
  test('follow the message at a model that takes them there, and are tools of the request elsewhere', () => {
    const { tools, messages } = body(BOTH, K3);
    expect(namesOf(tools)).toEqual(['weather']);
    expect(messages).toEqual([USER, { role: 'system', tools: [expect.anything()] }]);
    const other = body(BOTH, K26);
    expect(namesOf(other['tools'])).toEqual(['weather', 'news']);
    expect(other['messages']).toEqual([USER]);
  });

  test('are tools of the request where one is forced, none may be called, or their message is gone', () => {
    const begun: ChatMessage = { role: 'assistant', content: 'On', addsTools: ['news'] };
    const changes: Partial<ChatRequest>[] = [
      { toolChoice: 'required' },
      { toolChoice: { name: 'news' } },
      { toolChoice: 'none' },
      { messages: [USER] },
      { messages: [USER, begun], continuation: 'prefix' },
    ];
    for (const change of changes) {
      const { tools, messages } = body({ ...BOTH, ...change }, K3);
      expect(namesOf(tools)).toContain('news');
      expect(JSON.stringify(messages)).not.toContain('"role":"system"');
    }
  });

  verifies('provider:facts', 'kimi: K3 calls them, and keeps its cached prefix', async () => {
    const { ask } = world.kimi();
    const rules: ChatMessage = { role: 'system', content: 'A long rule. '.repeat(400) };
    const question: ChatMessage = { role: 'user', content: 'What is the weather in Paris?' };
    const cachedWith = async (model: string, last: ChatMessage, tools: readonly ChatTool[]) => {
      const request = asking('', {
        model,
        tools,
        messages: [rules, last],
        thinking: { mode: 'on' },
      });
      const outcome = await ask(request);
      if (outcome.is !== 'answered') throw outcome.error;
      return outcome.answer;
    };
    for (const [model, isCached] of [
      ['kimi-k3', true],
      ['kimi-k2.6', false],
    ] as const) {
      await cachedWith(model, question, [NEWS]);
      const added = { ...question, addsTools: ['weather'] };
      const { usage, toolCalls } = await cachedWith(model, added, [NEWS, WEATHER]);
      expect(toolCalls[0]?.name).toBe('weather');
      expect((usage?.cached ?? 0) > 0).toBe(isCached);
    }
  });
});
