import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { CallError } from '#core/errors/call-error.ts';
import { listen, okRoute, open } from './listener.fixture.ts';
import { bearerToken, checkHost, checkSite, isOurHost, isOurOrigin } from './request-checks.ts';

describe('host header', () => {
  test.each([
    ['localhost', undefined, true],
    ['LOCALHOST:1234', undefined, true],
    ['127.0.0.1:8765', undefined, true],
    ['127.1.2.3', undefined, true],
    ['[::1]:8765', undefined, true],
    ['exai.lan:80', undefined, true],
    ['192.168.1.5:8765', '192.168.1.5', true],
    ['192.168.1.5:8765', '::ffff:192.168.1.5', true],
    ['[fe80::1]:8765', 'fe80::1', true],
    ['192.168.1.6:8765', '192.168.1.5', false],
    ['evil.example', undefined, false],
    ['localhost.evil.example', undefined, false],
    ['evil.example:127.0.0.1', undefined, false],
    ['127.0.0.1.evil.example', undefined, false],
    ['127.0.0.1@evil.example', undefined, false],
    ['[::1', undefined, false],
    ['localhost:', undefined, false],
    ['localhost:99999999', undefined, false],
    ['', undefined, false],
    [undefined, undefined, false],
  ])('Host %j on %j is accepted: %j', (header, localAddress, expected) => {
    expect(isOurHost(header, ['exai.lan'], localAddress)).toBe(expected);
  });

  test.each([
    ['exai.team.example', true],
    ['EXAI.team.example:8765', true],
    ['team.example', false],
    ['a.b.team.example', false],
    ['.team.example', false],
    ['evilteam.example', false],
  ])('a certificate for *.team.example covers %s: %j', (header, expected) => {
    expect(isOurHost(header, ['*.team.example'], undefined)).toBe(expected);
  });
});

describe('request target', () => {
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
  ])('the target %s is rejected, although the Host is ours', (url) => {
    expect(refusal(url)).toMatchObject({ class: 'permission', field: 'host' });
  });

  test('a request for a foreign host is rejected by the listener', async () => {
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
});

describe('origin', () => {
  test.each([
    [undefined, true],
    ['http://localhost:8765', true],
    ['https://localhost:8765', true],
    ['HTTP://LocalHost:8765', true],
    ['https://app.example', true],
    ['http://localhost', false],
    ['http://localhost:5173', false],
    ['http://127.0.0.1:8765', false],
    ['null', false],
    ['', false],
    ['http://evil.example', false],
    ['http://localhost:8765.evil.example', false],
    ['http://localhost:8765@evil.example', false],
    ['http://evil.example/localhost:8765', false],
    ['http://localhost:8765/path', false],
    ['file://', false],
    ['localhost:8765', false],
    ['http://localhost:8765, http://evil.example', false],
    ['chrome-extension://localhost:8765', false],
  ])('Origin %j is accepted: %j', (header, expected) => {
    expect(isOurOrigin(header, 'Localhost:8765', ['https://app.example'])).toBe(expected);
  });

  test('without a Host no Origin is our own', () => {
    expect(isOurOrigin('http://', undefined, [])).toBe(false);
  });

  test.each([
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' },
  ])('a request with %j passes the site check', (headers) => {
    expect(() => checkSite(headers)).not.toThrow();
  });

  test.each(['cross-site', 'same-site'])(
    'what a page loads %s without an Origin is refused',
    (site) => {
      expect(() => checkSite({ 'sec-fetch-site': site })).toThrow('other sites');
    },
  );
});

describe('bearer', () => {
  test.each([
    ['Bearer a secret', 'a secret'],
    ['bearer   a secret', 'a secret'],
    ['Basic a secret', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j has the token %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
