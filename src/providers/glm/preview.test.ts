import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { previewAndSent, PREVIEWED } from '../preview.fixture.ts';
import { KEY, requestFor, useGlmWorld } from './glm.fixture.ts';

const world = useGlmWorld();

describe.each(['glm-5.3', 'glm-4.7-flash', 'glm-4.6v'])('a preview for %s', (model) => {
  test.each(PREVIEWED)(
    'is what is sent, or refused in the same words: %s',
    async (_, more, expected) => {
      const { provider, ask } = world;
      const bodies = () => world.bodies();
      const request = { ...requestFor(model, 'Say exactly: blue'), ...more };
      const { previewed, sent } = await previewAndSent({ provider, request, ask, bodies });
      expect(previewed).toEqual(sent);
      expect(expected).toContain(sent.is);
    },
  );
});

verifies(
  'route:explain',
  'a preview names the address, also that of a coding plan, holds no key and sends nothing',
  () => {
    const baseUrl = 'https://api.z.ai/api/coding/paas/v4/';
    const preview = world.with({ baseUrl }).provider.preview?.(requestFor('glm-5.3', 'Hello'));
    expect(preview?.url).toBe('https://api.z.ai/api/coding/paas/v4/chat/completions');
    expect(JSON.stringify(preview)).not.toContain(KEY);
    expect(world.emulator.requests()).toEqual([]);
  },
);
