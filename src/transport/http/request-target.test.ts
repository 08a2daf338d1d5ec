import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { CallError } from '#core/call-error.ts';
import { listen, okRoute, open } from './listener.fixture.ts';
import { checkHost } from './request-target.ts';

function refusal(url: string, host = 'localhost:8765'): CallError | undefined {
  const request = { url, headers: { host }, rawHeaders: ['Host', host], socket: {} };
  try {
    checkHost(request as unknown as IncomingMessage, ['exai.lan']);
    return undefined;
  } catch (thrown) {
    return thrown as CallError;
  }
}

test.each([
  '/mcp',
  '/mcp?next=http://evil.example/',
  '/a//b',
  '*',
  'http://localhost:8765/mcp',
  'HTTP://127.0.0.1/mcp',
  'http://exai.lan/mcp',
  'http://[::1]:8765/mcp',
])('the target %s names no foreign host', (url) => {
  expect(refusal(url)).toBeUndefined();
});

test.each([
  'http://evil.example/mcp',
  'http://evil.example:8765/mcp',
  'https://evil.example/mcp',
  'http://localhost.evil.example/mcp',
  'http://localhost@evil.example/mcp',
  'http:\\\\evil.example\\mcp',
  '//evil.example/mcp',
  '/\\evil.example/mcp',
  '\\\\evil.example/mcp',
  'file:///mcp',
  'data:text/plain,mcp',
])('the target %s is refused, although the Host is ours', (url) => {
  expect(refusal(url)).toMatchObject({ class: 'permission', field: 'host' });
});

test('a request for a foreign host is refused on the wire', async () => {
  const { listener } = await listen([okRoute('/here')]);
  const socket = await open(listener);
  const ask = async (target: string) => {
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString().slice(9, 12);
  };
  expect(await ask('http://evil.example/here')).toBe('403');
  expect(await ask('//evil.example/here')).toBe('403');
  expect(await ask('http://localhost/here')).toBe('200');
});
