import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, useKimiWorld, WEATHER } from './kimi.fixture.ts';

const world = useKimiWorld();

describe('bad input', () => {
  const noted = async (request: ChatRequest) => {
    const { ask, exchanges } = world.kimi();
    const outcome = await ask(request);
    expect(exchanges).toEqual([]);
    return outcome;
  };

  verifies('provider:bad-input', 'Kimi: no key says what to set and where to get one', async () => {
    const { ask, provider, context } = world.kimi({ key: '' });
    expect(await ask(asking('Hi.'))).toMatchObject({
      error: {
        class: 'not_configured',
        provider: 'kimi',
        fix: expect.stringMatching(
          /exai keys add kimi.*KIMI_API_KEY.*platform\.moonshot\.ai/,
        ) as string,
      },
    });
    await expect(provider.check(context)).rejects.toMatchObject({ class: 'not_configured' });
    expect(world.emulator.requests()).toEqual([]);
  });

  verifies(
    'provider:bad-input',
    'Kimi: a request that cannot be answered is refused by its field before a byte is sent',
    async () => {
      const tools = Array.from({ length: 200 }, (_, n) => ({ ...WEATHER, name: `t${n}` }));
      const user = { role: 'user', content: 'Hi.' } as const;
      const cases: readonly (readonly [Partial<ChatRequest>, string, string])[] = [
        [{ model: 'kimi-k33' }, 'not_found', 'model'],
        [{ model: 'glm-4.6' }, 'not_found', 'model'],
        [{ messages: [] }, 'validation', 'messages'],
        [{ messages: [{ role: 'user', content: ' ' }] }, 'validation', 'messages[0].content'],
        [{ tools }, 'validation', 'tools'],
        [{ tools: tools.slice(0, 128), webSearch: {} }, 'bad_request', 'tools'],
        [{ tools: [{ ...WEATHER, name: '7up' }] }, 'bad_request', 'tools[0].name'],
        [{ stop: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'validation', 'stop'],
        [{ stop: ['世'.repeat(11)] }, 'bad_request', 'stop[0]'],
        [{ stop: [''] }, 'validation', 'stop[0]'],
        [{ maxOutputTokens: 0 }, 'validation', 'maxOutputTokens'],
        [{ continuation: 'prefix' }, 'validation', 'continuation'],
        [
          {
            continuation: 'prefix',
            messages: [user, { role: 'assistant', content: '{' }],
            responseFormat: { type: 'json' },
          },
          'validation',
          'responseFormat',
        ],
        [
          {
            continuation: 'prefix',
            messages: [
              user,
              {
                role: 'assistant',
                content: '',
                toolCalls: [{ id: 'a', name: 'b', arguments: '' }],
              },
            ],
          },
          'validation',
          'continuation',
        ],
        [
          { responseFormat: { type: 'json_schema', name: 'x', schema: { type: 'array' } } },
          'bad_request',
          'responseFormat.schema',
        ],
        [
          { messages: [{ role: 'user', content: [{ type: 'file', source: { fileId: 'f' } }] }] },
          'bad_request',
          'messages[0].content',
        ],
      ];
      for (const [change, errorClass, field] of cases)
        expect(await noted(asking('Hi.', change))).toMatchObject({
          is: 'failed',
          error: { class: errorClass, field, provider: 'kimi', fix: expect.any(String) as string },
        });
    },
  );

  verifies(
    'provider:bad-input',
    'Kimi: a retired model is its successor, with a notice',
    async () => {
      const { ask } = world.kimi();
      const outcome = await ask(asking('Say exactly: ok', { model: 'kimi-k2-0905-preview' }));
      expect(outcome).toMatchObject({ is: 'answered', answer: { model: 'kimi-k3', text: 'ok' } });
      expect(outcome.answer.notices[0]).toMatchObject({
        code: 'model_retired',
        params: { model: 'kimi-k2-0905-preview' },
      });
    },
  );

  test('half a character is replaced, with a notice', async () => {
    const { ask } = world.kimi();
    const outcome = await ask(asking('Say exactly: a\ud800b'));
    expect(outcome.answer).toMatchObject({ text: 'a\ufffdb' });
    expect(outcome.answer.notices).toHaveLength(1);
  });
});
