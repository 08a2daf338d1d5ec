import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectAddress, forgetAddress, listenAddress } from './local-address.ts';

function socketFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-pipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'daemon.sock');
}

test('elsewhere than on Windows it is the socket file, and no file is written', () => {
  const file = socketFile();
  expect(listenAddress(file, randomBytes, 'linux')).toBe(file);
  expect(connectAddress(file, 'linux')).toBe(file);
  expect(existsSync(file)).toBe(false);
});

test('on Windows the pipe has an unpredictable name, which a client finds in the home', () => {
  const file = socketFile();
  const first = listenAddress(file, randomBytes, 'win32');
  expect(first).toMatch(/^\\\\\.\\pipe\\exai-[\da-f]{32}$/);
  expect(connectAddress(file, 'win32')).toBe(first);
  const second = listenAddress(file, randomBytes, 'win32');
  expect(second).not.toBe(first);
  expect(connectAddress(file, 'win32')).toBe(second);
});

test('on Windows no daemon is found before it wrote the name, after it ended, or when the file contains anything else', () => {
  const file = socketFile();
  const notFound = expect.objectContaining({
    class: 'network',
    cause: expect.objectContaining({ code: 'ENOENT' }) as Error,
  }) as Error;
  expect(() => connectAddress(file, 'win32')).toThrow(notFound);
  listenAddress(file, randomBytes, 'win32');
  forgetAddress(file, 'win32');
  expect(() => connectAddress(file, 'win32')).toThrow(notFound);
  writeFileSync(file, '../../other');
  expect(() => connectAddress(file, 'win32')).toThrow(notFound);
});
