import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { previewAndSent, PREVIEWED } from '../preview.fixture.ts';
import { asking, KEY, useKimiWorld, withLive } from './kimi.fixture.ts';

const world = useKimiWorld();

const bodies = () =>
  world.emulator
    .requests({ vendor: 'kimi' })
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body);

describe.each(['kimi-k2.6', 'kimi-k3', 'moonshot-v1-32k'])('a preview for %s', (model) => {
  test.each(PREVIEWED)(
    'is what is sent, or refused in the same words: %s',
    async (_, more, expected) => {
      const catalogue = withLive('moonshot-v1-32k');
      const { provider, ask } = world.kimi({ catalogue });
      const request = {
        ...asking('Say exactly: blue'),
        thinking: { mode: 'off' },
        model,
        ...more,
      } as const;
      const { previewed, sent } = await previewAndSent({ provider, request, ask, bodies });
      expect(previewed).toEqual(sent);
      expect(expected).toContain(sent.is);
    },
  );
});

verifies('route:explain', 'a preview names the address, holds no key and sends nothing', () => {
  const { provider } = world.kimi({ baseUrl: 'https://me:secret@kimi.test/v1/' });
  const preview = provider.preview?.(asking('Hello'));
  expect(preview?.url).toBe('https://kimi.test/v1/chat/completions');
  expect(JSON.stringify(preview)).not.toContain(KEY);
  expect(world.emulator.requests()).toEqual([]);
});

test('a picture that would be fetched is a mark in the preview, and is not fetched', () => {
  const { provider } = world.kimi();
  const url = 'https://pictures.test/a.png';
  const source = { url };
  const request = asking('', {
    messages: [{ role: 'user', content: [{ type: 'image', source }] }],
  });
  expect(provider.preview?.(request).body['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: `data:image/*;base64,<the bytes of ${url}>` } },
      ],
    },
  ]);
});

test('without a key there is nothing to preview, as there would be nothing to send', async () => {
  const { provider, ask } = world.kimi({ key: '' });
  const request = asking('Hello');
  expect(() => provider.preview?.(request)).toThrow(
    expect.objectContaining({ class: 'not_configured', provider: 'kimi' }),
  );
  await expect(ask(request)).resolves.toMatchObject({ error: { class: 'not_configured' } });
});
