import { expect, test } from 'vitest';
import { isUsableSocketPath } from './socket-path.ts';

test('a socket file may be as long as the system has room for, in bytes', () => {
  expect(isUsableSocketPath('x'.repeat(107), 'linux')).toBe(true);
  expect(isUsableSocketPath('x'.repeat(108), 'linux')).toBe(false);
  expect(isUsableSocketPath('ü'.repeat(54), 'linux')).toBe(false);
  expect(isUsableSocketPath('x'.repeat(104), 'darwin')).toBe(false);
  expect(isUsableSocketPath('x'.repeat(500), 'win32')).toBe(true);
});
