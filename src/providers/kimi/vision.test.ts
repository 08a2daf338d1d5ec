import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, PNG, useKimiWorld, upload, withLive } from './kimi.fixture.ts';

const world = useKimiWorld();

describe('pictures and videos (1.8)', () => {
  let pictures: Server;
  let at: string;
  beforeAll(async () => {
    pictures = createServer((request, response) => {
      if (request.url === '/moved.png') response.writeHead(302, { location: '/a.png' }).end();
      else if (request.url === '/a.png') response.end(PNG);
      else if (request.url === '/page.png')
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else if (request.url === '/huge.png') response.end(Buffer.alloc(11 * 1024 * 1024, 1));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => void pictures.listen(0, '127.0.0.1', resolve));
    at = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    pictures.closeAllConnections();
    pictures.close();
  });

  const showing = (url: string, type: 'image' | 'video' = 'image'): ChatRequest =>
    asking('', {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type, source: { url } },
          ],
        },
      ],
    });

  verifies(
    'provider:facts',
    'Kimi vision: a picture by address is fetched here and sent as bytes',
    async () => {
      const { ask } = world.kimi({ allowPrivate: [at] });
      const outcome = await ask(showing(`http://${at}/moved.png`));
      expect(outcome).toMatchObject({ is: 'answered' });
      expect(outcome.answer.text).toContain('image/png');
      expect(JSON.stringify(world.bodies())).toContain(PNG.toString('base64'));
    },
  );

  test('a data URL and an uploaded picture are taken as they are', async () => {
    const { ask, provider, context } = world.kimi();
    expect(await ask(showing(`data:image/png;base64,${PNG.toString('base64')}`))).toMatchObject({
      is: 'answered',
    });
    const file = await provider.upload?.(
      upload(PNG, { name: 'a.png', mediaType: 'image/png', purpose: 'image' }),
      context,
    );
    expect(await ask(showing(`ms://${file?.id}`))).toMatchObject({ is: 'answered' });
    const byId = asking('', {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { fileId: file?.id ?? '' } },
            { type: 'text', text: 'This?' },
          ],
        },
      ],
    });
    expect(await ask(byId)).toMatchObject({ is: 'answered' });
  });

  test.each([
    ['http://127.0.0.1:9/a.png', 'validation'],
    ['http://169.254.169.254/latest/meta-data', 'validation'],
    ['ftp://example.com/a.png', 'validation'],
    ['data:text/html;base64,AAAA', 'validation'],
    ['data:image/png;base64,', 'validation'],
    ['data:image/png,AAAA', 'validation'],
    ['not a url', 'validation'],
  ])(
    '%s is refused with the place in the request, and nothing is asked',
    async (url, errorClass) => {
      const { ask, exchanges } = world.kimi();
      expect(await ask(showing(url))).toMatchObject({
        is: 'failed',
        error: { class: errorClass, field: 'messages[0].content[1]', provider: 'kimi' },
      });
      expect(exchanges).toEqual([]);
    },
  );

  test.each([
    ['/none.png', 'validation', 'answered 404'],
    ['/page.png', 'validation', 'not a picture'],
    ['/huge.png', 'too_large', 'more than 10 MB'],
  ])('%s is refused: %s', async (path, errorClass, words) => {
    const { ask } = world.kimi({ allowPrivate: [at] });
    const outcome = await ask(showing(`http://${at}${path}`));
    expect(outcome).toMatchObject({
      error: { class: errorClass, message: expect.stringContaining(words) as string },
    });
  });

  test('a picture to a model without eyes is refused', async () => {
    Object.assign(world.emulator.switches['kimi'] ?? {}, { moonshotV1: 'live' });
    const { ask } = world.kimi({ catalogue: withLive('moonshot-v1-8k') });
    expect(
      await ask({ ...showing('data:image/png;base64,AAAA'), model: 'moonshot-v1-8k' }),
    ).toMatchObject({
      error: {
        class: 'bad_request',
        message: expect.stringContaining('cannot take pictures') as string,
      },
    });
  });
});
