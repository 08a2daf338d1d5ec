import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatMessage, MediaSource } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { PNG, realDeps } from './custom.fixture.ts';
import { FLAVOUR } from './flavours.ts';
import { inlinePictures } from './pictures.ts';

describe('pictures for a server at home', () => {
  let pictures: Server;
  let asked = 0;
  let at: string;
  beforeAll(async () => {
    pictures = createServer((request, response) => {
      asked += 1;
      if (request.url === '/a.png') response.end(Buffer.from(PNG, 'base64'));
      else if (request.url === '/a.gif') response.end('GIF89a');
      else if (request.url === '/page') response.end('<html>');
      else if (request.url === '/cut') response.destroy();
      else if (request.url === '/huge') response.end(Buffer.alloc(11 * 1024 * 1024, 1));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => void pictures.listen(0, '127.0.0.1', resolve));
    at = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    pictures.closeAllConnections();
    pictures.close();
  });

  const showing = (...sources: readonly MediaSource[]): ChatMessage => ({
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      ...sources.map((source) => ({ type: 'image', source }) as const),
    ],
  });

  async function inlined(...sources: readonly MediaSource[]): Promise<readonly ChatMessage[]> {
    const clock = createFakeClock();
    const deps = realDeps(clock, [at]);
    const context = { signal: new AbortController().signal, deadline: deadlineIn(clock, 20_000) };
    try {
      return await inlinePictures([showing(...sources)], FLAVOUR.ollama, deps, context);
    } finally {
      await Promise.all([deps.http.close(), deps.publicHttp.close()]);
    }
  }

  test('are fetched here, each address once, and go as bytes', async () => {
    asked = 0;
    const bytes = { base64: PNG, mediaType: 'image/png' };
    const url = `http://${at}/a.png`;
    expect(await inlined({ url }, bytes, { url }, { url: `data:image/png;base64,${PNG}` })).toEqual(
      [showing(bytes, bytes, bytes, bytes)],
    );
    expect(asked).toBe(1);
  });

  test.each([
    ['/a.gif', 'bad_request', 'takes pictures as jpeg'],
    ['/page', 'validation', 'not a picture'],
    ['/gone.png', 'validation', '404'],
    ['/cut', 'validation', 'could not be fetched'],
    ['/huge', 'too_large', 'more than 10 MB'],
  ])('%s is the fault of the request: %s', async (path, errorClass, words) => {
    await expect(inlined({ url: `http://${at}${path}` })).rejects.toMatchObject({
      class: errorClass,
      field: 'messages[0].content[1]',
      message: expect.stringContaining(words) as string,
    });
  });

  test('by the id of a file are refused', async () => {
    await expect(inlined({ fileId: 'f1' })).rejects.toMatchObject({ class: 'bad_request' });
  });
});
