import { describe, expect, test } from 'vitest';
import { rejectingIterator } from '#core/async-iterators.ts';
import { checkAccount } from './endpoints.ts';
import { kimiHostOf } from './hosts.ts';
import { useKimiWorld, WEATHER } from './kimi.fixture.ts';

const world = useKimiWorld();

describe('the account (1.2, 1.11)', () => {
  test('models, balance, tokens and check', async () => {
    const { provider, context } = world.kimi();
    expect(await provider.models?.(context)).toContainEqual({
      id: 'kimi-k3',
      contextTokens: 1_048_576,
      images: true,
      video: true,
      thinking: true,
    });
    expect(await provider.balance?.(context)).toEqual({ available: 1_000, currency: 'USD' });
    expect(await provider.check(context)).toBe('1000.00 USD left');
    const messages = [{ role: 'user', content: 'How many tokens are these?' } as const];
    const count = await provider.countTokens?.({ model: 'kimi-k3', messages }, context);
    const more = await provider.countTokens?.(
      { model: 'kimi-k3', messages, tools: [WEATHER] },
      context,
    );
    expect(count).toBeGreaterThan(3);
    expect(more).toBeGreaterThan(count ?? 0);
  });

  test('what it can is what it has', () => {
    const { provider } = world.kimi();
    expect(provider.capabilities).toEqual([
      'web_search',
      'prefix',
      'upload',
      'file_content',
      'list_files',
      'delete_file',
      'count_tokens',
      'models',
      'balance',
      'ocr',
    ]);
    expect(provider).not.toHaveProperty('embed');
  });
});

test.each([
  [0, 'accepted, but the balance is 0.00 USD: top up at https://platform.moonshot.ai/console'],
  [-1.5, 'accepted, but the balance is -1.50 USD: top up at https://platform.moonshot.ai/console'],
  [0.5, '0.50 USD left'],
])('a balance of %d is told as what it means', async (available, expected) => {
  const json = { code: 0, status: true, data: { available_balance: available } };
  const client = {
    title: 'Kimi',
    chat: () => rejectingIterator<never>(new Error('not asked')),
    preview: () => ({ url: '', body: {} }),
    call: () => Promise.resolve({ status: 200, headers: {}, text: '', json }),
  };
  const { context } = world.kimi();
  const host = kimiHostOf('https://api.moonshot.ai/v1');
  expect(await checkAccount(client, host, context)).toBe(expected);
});
