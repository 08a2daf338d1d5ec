import { expect, test } from 'vitest';
import { HOSTILE_URLS } from '../../../test/attacks/ssrf/urls.ts';
import { verifies } from '../../../test/verifies.ts';
import { checkUrl } from './check-url.ts';

test.each([
  'https://example.com/',
  'http://example.com:8080/a?b#c',
  'https://example.com:8443/',
  'https://sub.example.co.uk./',
  'https://93.184.216.34/',
  'https://[2606:4700::1111]/',
  'https://münchen.de/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://mylocal/'.replace('mylocal', 'my.local.example.org'),
])('%s may be asked for', (url) => {
  expect(checkUrl(url)).toEqual({ verdict: 'public' });
});

verifies('net:ssrf', 'every hostile form of an address is refused before a lookup', () => {
  expect(HOSTILE_URLS.length).toBeGreaterThan(200);
  for (const url of HOSTILE_URLS) expect([url, checkUrl(url).verdict]).toEqual([url, 'refused']);
});

test('what is refused is named with what to do about it, and nothing of its path', () => {
  expect(checkUrl('http://192.168.1.1/admin?key=x')).toEqual({
    verdict: 'refused',
    because: '192.168.1.1 is a private address.',
    fix: {
      kind: 'extend_setting',
      params: {
        setting: 'network.allowPrivate',
        entry: 'its host:port',
        condition: 'if it is yours',
      },
    },
  });
});

test('what the user has named may be asked for, that very port alone', () => {
  const options = { allowPrivate: ['127.0.0.1:4000', 'Wiki.Corp:80', '[::1]:8080'] };
  const verdict = (url: string) => checkUrl(url, options).verdict;
  expect(verdict('http://127.0.0.1:4000/')).toBe('allowed');
  expect(verdict('http://0x7f.1:4000/')).toBe('allowed');
  expect(verdict('http://wiki.corp./')).toBe('allowed');
  expect(verdict('http://[::1]:8080/')).toBe('allowed');
  expect(verdict('http://127.0.0.1:4001/')).toBe('refused');
  expect(verdict('http://user@127.0.0.1:4000/')).toBe('refused');
  expect(verdict('https://wiki.corp/')).toBe('refused');
  expect(verdict('http://a.wiki.corp/')).toBe('refused');
  expect(verdict('ftp://127.0.0.1:4000/')).toBe('refused');
});

// Quadratic time would take minutes and exceed the time limit of a test.
test('a host of countless points is judged in one look', () => {
  const points = '.'.repeat(500_000);
  expect(checkUrl(`https://a${points}com/`).verdict).toBe('public');
  expect(checkUrl(`https://localhost${points}/`).verdict).toBe('refused');
});
