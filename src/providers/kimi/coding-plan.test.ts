import { describe, expect, test } from 'vitest';
import { endpointOf, isKimiCodingPlan, KIMI_CODING_URL } from '#core/providers/kimi-plan.ts';
import { VERSION } from '#core/version.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, useKimiWorld } from './kimi.fixture.ts';

const world = useKimiWorld();
const catalogue = createCatalogue([], { plans: { kimi: 'coding' } });
const PLATFORM = 'https://api.moonshot.ai/v1';

const coding = () =>
  world.kimi({
    baseUrl: `${world.emulator.url}/kimi/coding/v1`,
    key: 'sk-kimi-0123456789abcdefghij',
    catalogue,
  });

verifies('provider:facts', 'Kimi coding plan: its keys are sent to its own address', () => {
  const at = (apiKey: string, baseUrl = PLATFORM) => endpointOf('kimi', { apiKey, baseUrl });
  expect(at('sk-kimi-1')).toBe(KIMI_CODING_URL);
  expect(at('sk-1')).toBe(PLATFORM);
  expect(at('sk-kimi-1', 'https://proxy.example/v1')).toBe('https://proxy.example/v1');
  expect(endpointOf('glm', { apiKey: 'sk-kimi-1', baseUrl: PLATFORM })).toBe(PLATFORM);
  expect([KIMI_CODING_URL, PLATFORM, 'none'].map(isKimiCodingPlan)).toEqual([true, false, false]);
});

describe('a client that the plan does not list', () => {
  verifies(
    'provider:facts',
    "Kimi coding plan: the vendor's own sentence is passed on, and nothing poses as another client",
    async () => {
      const outcome = await coding().ask(asking('Hello', { model: 'k3' }));
      expect(outcome).toMatchObject({
        is: 'failed',
        error: {
          class: 'not_configured',
          message: expect.stringContaining(
            'Kimi For Coding is currently only available for Coding Agents such as Kimi CLI',
          ) as string,
        },
      });
      const [request] = world.emulator.requests({ vendor: 'kimi-coding' });
      expect(request?.headers['user-agent']).toBe(`exai/${VERSION}`);
    },
  );

  test('is told by the check that the key alone does not mean answers', async () => {
    const { provider, context } = coding();
    expect(await provider.check?.(context)).toBe(
      'coding plan with 4 models; Kimi may refuse chats, because EX-AI is not on its list of clients',
    );
  });
});

verifies('provider:facts', 'Kimi coding plan: models have the ids of the plan', async () => {
  Object.assign(world.emulator.switches['kimi-coding'] ?? {}, { codingClients: 'any' });
  const { ask } = coding();
  for (const model of ['kimi-k3', 'k3-256k', 'kimi-for-coding'])
    expect(await ask(asking('Hello', { model }))).toMatchObject({ is: 'answered' });
  const asked = world.emulator.requests({ vendor: 'kimi-coding' });
  expect(asked.map(({ body }) => (body as { model: string }).model)).toEqual([
    'k3',
    'k3-256k',
    'kimi-for-coding',
  ]);
});
