import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOSTILE_ADDRESSES } from '../../../test/attacks/ssrf/addresses.ts';
import { verifies } from '../../../test/verifies.ts';
import { checkAddress } from './check-address.ts';

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
  expect(checkAddress(address)).toEqual({ verdict: 'public' });
});

verifies('net:ssrf', 'every address that is not public is refused, in whatever form', () => {
  for (const [address, because] of HOSTILE_ADDRESSES) {
    const judged = checkAddress(address);
    expect([address, judged.verdict]).toEqual([address, 'refused']);
    expect([address, JSON.stringify(judged)]).toEqual([address, expect.stringContaining(because)]);
  }
});

test('no text makes it throw, and no IPv4 address hides in a public IPv6 one', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['public', 'refused']).toContain(checkAddress(text).verdict);
    }),
  );
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(checkAddress(`::ffff:${address}`).verdict).toBe('refused');
    }),
  );
});
