import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { readTarget } from '../target.ts';
import { createProxyChoice } from './choose-proxy.ts';

const HTTP = 'http://one.proxy:3128';
const HTTPS = 'http://user:p%40ss@two.proxy';

function choose(url: string, noProxy = '', httpProxy = HTTP, httpsProxy = HTTPS) {
  return createProxyChoice({ httpProxy, httpsProxy, noProxy })(readTarget(url));
}

verifies('net:proxy', 'each scheme has its proxy', () => {
  expect(choose('http://a.test/')).toEqual({
    protocol: 'http:',
    field: 'network.httpProxy',
    host: 'one.proxy',
    port: 3128,
    label: 'one.proxy:3128',
    authorization: undefined,
  });
  expect(choose('https://a.test/')).toEqual({
    protocol: 'http:',
    field: 'network.httpsProxy',
    host: 'two.proxy',
    port: 80,
    label: 'two.proxy',
    authorization: `Basic ${btoa('user:p@ss')}`,
  });
  expect(choose('https://a.test/', '', HTTP, '')).toBeUndefined();
  expect(choose('http://a.test/', '', '', HTTPS)).toBeUndefined();
});

verifies('net:proxy', 'this machine is never reached through a proxy', () => {
  for (const host of [
    'localhost',
    'LOCALHOST.',
    'api.localhost',
    '127.0.0.1',
    '127.9.8.7',
    '[::1]',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
  ]) {
    expect([host, choose(`http://${host}:8080/`)]).toEqual([host, undefined]);
  }
});

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://a.test/'],
    ['other.test, *', 'https://a.test/'],
    ['a.test', 'https://a.test/'],
    ['A.TEST', 'https://a.test/'],
    ['a.test.', 'https://a.test/'],
    ['a.test', 'https://a.test./'],
    ['a.test', 'https://deep.below.a.test/'],
    ['.a.test', 'https://a.test/'],
    ['.a.test', 'https://b.a.test/'],
    ['*.a.test', 'https://b.a.test/'],
    ['x.test  a.test', 'https://a.test/'],
    [',,a.test,', 'https://a.test/'],
    ['a.test:443', 'https://a.test/'],
    ['a.test:8443', 'https://a.test:8443/'],
    ['10.1.2.3', 'http://10.1.2.3/'],
    ['10.0.0.0/8', 'http://10.1.2.3/'],
    ['192.168.1.0/24', 'http://192.168.1.77/'],
    ['0.0.0.0/0', 'http://10.1.2.3/'],
    ['10.1.2.3:8080', 'http://10.1.2.3:8080/'],
    ['2001:db8::1', 'http://[2001:db8::1]/'],
    ['[2001:db8::1]', 'http://[2001:db8::1]/'],
    ['[2001:db8::1]:8080', 'http://[2001:db8::1]:8080/'],
    ['2001:db8::/32', 'http://[2001:db8:5::1]/'],
  ])('%j spares %s', (noProxy, url) => {
    expect(choose(url, noProxy)).toBeUndefined();
  });

  test.each([
    ['', 'https://a.test/'],
    ['a.test', 'https://ba.test/'],
    ['a.test', 'https://a.test.evil.test/'],
    ['b.a.test', 'https://a.test/'],
    ['a.test:8443', 'https://a.test/'],
    ['.', 'https://a.test/'],
    ['test:', 'https://a.test/'],
    ['10.0.0.0/8', 'http://11.1.2.3/'],
    ['10.0.0.0/8', 'http://ten.test/'],
    ['10.0.0.0/33', 'http://10.0.0.1/'],
    ['2.3', 'http://10.1.2.3/'],
    ['10.1.2.3:80', 'http://10.1.2.3:8080/'],
    ['2001:db8::/32', 'http://[2001:db9::1]/'],
    ['a*', 'https://a.test/'],
  ])('%j does not spare %s', (noProxy, url) => {
    expect(choose(url, noProxy)).toBeDefined();
  });
});
