import { expect, test } from 'vitest';
import { helloRoots } from './hello-roots.ts';
import { isUsableSocketPath } from './socket-path.ts';

test.each([
  ['/home/ann/project', ['/home/ann/project']],
  ['/home/ann/project/../other/', ['/home/ann/other']],
  ['/srv/shared', ['/srv/shared']],
  ['/home/ann', []],
  ['/home/ann/.', []],
  ['/home', []],
  ['/', []],
  ['/home/ann/x/../../..', []],
  ['project', []],
  ['', []],
  ['/home/annabel', ['/home/annabel']],
])('started in %j a client may name files in %j', (cwd, roots) => {
  expect(helloRoots(cwd, '/home/ann')).toEqual(roots);
});

test('a socket file may be as long as the system has room for, in bytes', () => {
  expect(isUsableSocketPath('x'.repeat(107), 'linux')).toBe(true);
  expect(isUsableSocketPath('x'.repeat(108), 'linux')).toBe(false);
  expect(isUsableSocketPath('ü'.repeat(54), 'linux')).toBe(false);
  expect(isUsableSocketPath('x'.repeat(104), 'darwin')).toBe(false);
  expect(isUsableSocketPath('x'.repeat(500), 'win32')).toBe(true);
});
