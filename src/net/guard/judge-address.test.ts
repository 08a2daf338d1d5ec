import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { judgeAddress } from './judge-address.ts';

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '169.253.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.1.1',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001:82a::200e',
])('%s is public', (address) => {
  expect(judgeAddress(address)).toEqual({ verdict: 'public' });
});

const REFUSED: [string, string][] = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'carrier'],
  ['100.100.100.200', 'carrier'],
  ['100.127.255.255', 'carrier'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'cloud'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'link-local'],
  ['169.254.170.2', 'link-local'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.192', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['192.31.196.1', 'reserved'],
  ['192.52.193.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['192.168.0.0', 'private'],
  ['192.168.255.255', 'private'],
  ['192.175.48.1', 'reserved'],
  ['198.18.0.0', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['198.51.100.7', 'reserved'],
  ['203.0.113.9', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.254', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::2', ''],
  ['::127.0.0.1', ''],
  ['::7f00:1', ''],
  ['::ffff:127.0.0.1', 'disguise'],
  ['::ffff:7f00:1', 'disguise'],
  ['::FFFF:10.0.0.1', 'disguise'],
  ['::ffff:8.8.8.8', 'disguise'],
  ['::ffff:0:127.0.0.1', 'disguise'],
  ['64:ff9b::127.0.0.1', 'disguise'],
  ['64:ff9b::a9fe:a9fe', 'disguise'],
  ['64:ff9b:1::7f00:1', ''],
  ['100::1', 'reserved'],
  ['100:0:0:1::1', 'reserved'],
  ['1::1', 'reserved'],
  ['2001::1', 'disguise'],
  ['2001:0:53aa:64c:0:0:80ff:fffe', 'disguise'],
  ['2001:1::1', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['2001:3::1', 'reserved'],
  ['2001:4:112::1', 'reserved'],
  ['2001:10::1', 'reserved'],
  ['2001:20::1', 'reserved'],
  ['2001:30::1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['2002:7f00:1::', 'disguise'],
  ['2002:c0a8:101::1', 'disguise'],
  ['2620:4f:8000::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['8000::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'interface'],
  ['2606:4700::1%1', 'interface'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['ff0e::1', 'multicast'],
  // Ways of writing an IPv4 address that programs understand and people overlook.
  ['2130706433', 'not an address'],
  ['0x7f000001', 'not an address'],
  ['0x7f.1', 'not an address'],
  ['0177.0.0.1', 'not an address'],
  ['127.1', 'not an address'],
  ['127.0.1', 'not an address'],
  ['010.0.0.1', 'not an address'],
  ['08.8.8.8', 'not an address'],
  ['8.8.8.8.', 'not an address'],
  [' 8.8.8.8', 'not an address'],
  ['8.8.8', 'not an address'],
  ['256.1.1.1', 'not an address'],
  ['١٢٧.٠.٠.١', 'not an address'],
  ['[::1]', 'not an address'],
  ['::1::', 'not an address'],
  ['', 'not an address'],
  ['localhost', 'not an address'],
  ['example.com', 'not an address'],
];

verifies('net:ssrf', 'every address that is not public is refused, in whatever form', () => {
  for (const [address, because] of REFUSED) {
    const judged = judgeAddress(address);
    expect([address, judged.verdict]).toEqual([address, 'refused']);
    expect([address, JSON.stringify(judged)]).toEqual([address, expect.stringContaining(because)]);
  }
});

test('no text makes it throw, and no IPv4 address hides in a public IPv6 one', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['public', 'refused']).toContain(judgeAddress(text).verdict);
    }),
  );
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(judgeAddress(`::ffff:${address}`).verdict).toBe('refused');
    }),
  );
});
