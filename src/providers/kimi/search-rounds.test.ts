import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, useKimiWorld, WEATHER } from './kimi.fixture.ts';

const world = useKimiWorld();

describe.each(['whole', 'stream'] as const)('%s', (delivery) => {
  const ask = (text: string, more: Partial<ChatRequest> = {}) =>
    asking(text, { delivery, ...more });

  describe('the search (1.7)', () => {
    test('hands the call back unchanged until the answer comes', async () => {
      const { ask: send } = world.kimi();
      const outcome = await send(ask('What is new about tea? [[search 2]]', { webSearch: {} }));
      expect(outcome).toMatchObject({
        is: 'answered',
        finish: 'stop',
        answer: {
          toolCalls: [],
          notices: [notice('search_sources_hidden', { model: 'Kimi' })],
        },
      });
      expect(outcome.answer.text).toContain('From 2 web searches');
      const bodies = world.bodies();
      expect(bodies).toHaveLength(3);
      const messages = bodies[2]?.['messages'] as Record<string, unknown>[];
      expect(messages).toHaveLength(5);
      const [, called, result] = messages;
      const [call] = (called?.['tool_calls'] ?? []) as {
        id: string;
        type: string;
        function: { name: string; arguments: string };
      }[];
      expect(call).toMatchObject({ type: 'builtin_function', function: { name: '$web_search' } });
      expect(result).toEqual({
        role: 'tool',
        tool_call_id: call?.id,
        name: '$web_search',
        content: call?.function.arguments,
      });
      expect(bodies[2]?.['tools']).toEqual([
        { type: 'builtin_function', function: { name: '$web_search' } },
      ]);
      const once = await send(ask('What is new about tea? [[search 0]]', { webSearch: {} }));
      expect(outcome.answer.usage?.input).toBeGreaterThan(3 * (once.answer.usage?.input ?? 0));
    });

    verifies(
      'provider:faults',
      `Kimi F14: a search that never ends is asked for an answer without it (${delivery})`,
      async () => {
        world.emulator.fault({ id: 'F14', times: 0 });
        const { ask: send } = world.kimi();
        const outcome = await send(ask('Say exactly: done', { webSearch: { maxRounds: 2 } }));
        expect(outcome).toMatchObject({ is: 'answered', finish: 'stop', answer: { text: 'done' } });
        expect(outcome.answer.notices.at(-1)).toEqual(
          notice('search_rounds_used', { model: 'Kimi', rounds: 2 }),
        );
        const bodies = world.bodies();
        expect(bodies).toHaveLength(3);
        expect(bodies[2]).not.toHaveProperty('tools');
        expect(bodies[2]?.['messages']).toHaveLength(5);
      },
    );

    test('stops where the results would be too long', async () => {
      world.emulator.fault({ id: 'F14', times: 0 });
      const { ask: send } = world.kimi();
      const outcome = await send(ask('Say exactly: done', { webSearch: { maxTokens: 2_000 } }));
      expect(outcome).toMatchObject({ is: 'answered', answer: { text: 'done' } });
      expect(outcome.answer.notices.at(-1)).toEqual(
        notice('search_results_dropped', { tokens: 1200 }),
      );
      const bodies = world.bodies();
      expect(bodies).toHaveLength(3);
      expect(bodies[2]?.['messages']).toHaveLength(3);
    });

    test('leaves the tools of the caller alone', async () => {
      const { ask: send } = world.kimi();
      const outcome = await send(
        ask('Use the weather of "Oslo". [[search 1]]', { webSearch: {}, tools: [WEATHER] }),
      );
      expect(outcome).toMatchObject({
        is: 'answered',
        finish: 'tool_calls',
        answer: { toolCalls: [{ name: 'weather' }] },
      });
    });
  });
});
