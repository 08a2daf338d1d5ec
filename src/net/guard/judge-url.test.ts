import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { judgeUrl } from './judge-url.ts';

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
  expect(judgeUrl(url)).toEqual({ verdict: 'public' });
});

const REFUSED = [
  // Not the web.
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://example.com:70/_x',
  'data:text/plain,x',
  'javascript:alert(1)',
  'ws://example.com/',
  'unix:/var/run/docker.sock',
  'about:blank',
  'blob:https://example.com/x',
  '//example.com/',
  'example.com',
  '',
  ' ',
  'http://',
  'https://exa mple.com/',
  // With credentials.
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://:pass@example.com/',
  'http://example.com@127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'http://127.0.0.1\\@example.com/',
  // Ports that are no web servers.
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:6379/',
  'https://example.com:9200/',
  'http://example.com:0/',
  'http://example.com:65535/',
  // Names that mean something near.
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://LocalHost:8080/',
  'http://foo.localhost/',
  'http://printer.local/',
  'http://printer.local./',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://metadata.google.internal./',
  'http://instance-data.ec2.internal/',
  'http://host.docker.internal/',
  'http://kubernetes.default.svc.cluster.local/',
  'http://metadata/',
  'http://wpad/',
  'http://ip6-localhost/',
  'http://router.lan/',
  'http://nas.home.arpa/',
  'http://1.0.0.127.in-addr.arpa/',
  'http://wiki.corp/',
  'http://localhost.localdomain/',
  // This machine, in every way that a URL can say it.
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/',
  'http://127.0.0.1./',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0X7F.0x0.0x0.0x1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://0/',
  'http://0.0.0.0/',
  'http://00000.0/',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1%25eth0]/',
  // Near this machine.
  'http://10.0.0.1/',
  'http://012.0.0.1/',
  'http://167772161/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://3232235777/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fd00:ec2::254]/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[ff02::1]/',
  'http://[fc00::1]/',
];

verifies('net:ssrf', 'every hostile form of an address is refused before a lookup', () => {
  expect(REFUSED.length).toBeGreaterThan(60);
  for (const url of REFUSED) expect([url, judgeUrl(url).verdict]).toEqual([url, 'refused']);
});

test('what is refused is named with what to do about it, and nothing of its path', () => {
  expect(judgeUrl('http://192.168.1.1/admin?key=x')).toEqual({
    verdict: 'refused',
    because: '192.168.1.1 is a private address.',
    fix: 'If it is yours, add its host:port to network.allowPrivate.',
  });
});

test('what the user has named may be asked for, that very port alone', () => {
  const options = { allowPrivate: ['127.0.0.1:4000', 'Wiki.Corp:80', '[::1]:8080'] };
  const verdict = (url: string) => judgeUrl(url, options).verdict;
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

// The square of its length would be minutes, and the time limit of a test.
test('a host of countless points is judged in one look', () => {
  const points = '.'.repeat(500_000);
  expect(judgeUrl(`https://a${points}com/`).verdict).toBe('public');
  expect(judgeUrl(`https://localhost${points}/`).verdict).toBe('refused');
});
