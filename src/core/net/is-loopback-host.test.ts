import { expect, test } from 'vitest';
import { isLoopbackHost } from './is-loopback-host.ts';

test('names and addresses of this machine are loopback', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'a.localhost',
    '127.0.0.1',
    '127.8.9.10',
    '[::1]',
    '::1',
  ])
    expect([host, isLoopbackHost(host)]).toEqual([host, true]);
});

test('all others are not, also those that begin alike', () => {
  for (const host of [
    '127.0.0.1.example',
    'localhost.example',
    '10.0.0.1',
    '::2',
    '0.0.0.0',
    '1270.0.0.1',
    '',
  ])
    expect([host, isLoopbackHost(host)]).toEqual([host, false]);
});
