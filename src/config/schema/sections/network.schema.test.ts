import { expect, test } from 'vitest';
import { network } from './network.schema.ts';

test('everything has a default', () => {
  expect(network.parse(undefined)).toEqual({
    offline: false,
    httpsProxy: '',
    httpProxy: '',
    noProxy: '',
    caFile: '',
    allowPrivate: [],
    record: '',
    replay: '',
  });
});

test.each([
  ['http://proxy.test:3128', 'http://proxy.test:3128'],
  ['HTTPS://user:pass@proxy.test/', 'HTTPS://user:pass@proxy.test/'],
  [' proxy.test:3128 ', 'http://proxy.test:3128'],
  ['user:pass@proxy.test', 'http://user:pass@proxy.test'],
  ['', ''],
])('the proxy %j is understood', (written, parsed) => {
  expect(network.parse({ httpsProxy: written }).httpsProxy).toBe(parsed);
});

test.each(['socks5://proxy.test', 'http://', 'http://proxy.test/path', 'ftp://x', 'a b', 5, null])(
  'the proxy %j is refused',
  (given) => {
    expect(network.safeParse({ httpProxy: given }).success).toBe(false);
  },
);

test('places are host and port', () => {
  const parse = (place: unknown) => network.safeParse({ allowPrivate: [place] }).success;
  expect(['wiki.corp:80', '127.0.0.1:4000', '[::1]:8080'].map(parse)).toEqual([true, true, true]);
  expect(['wiki.corp', 'http://a:1', 'a:b', '::1:80', 'a:123456', 7].map(parse)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});

test('files and folders are absolute', () => {
  const parse = (given: object) => network.safeParse(given).success;
  expect(parse({ caFile: '/etc/ca.pem', record: '/tmp/a', replay: '/tmp/a' })).toBe(true);
  expect(parse({ caFile: 'ca.pem' })).toBe(false);
  expect(parse({ record: './tape' })).toBe(false);
});
