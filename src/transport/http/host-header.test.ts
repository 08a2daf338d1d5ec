import { expect, test } from 'vitest';
import { isOurHost } from './host-header.ts';

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
])('Host %j on %j: ours is %j', (header, localAddress, expected) => {
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
