import { expect, test } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import { plainSocketPath } from './initialize-first.ts';

test
  .runIf(process.platform !== 'win32')
  .each([
    { EXAI_HOME: '/srv/exai' },
    { EXAI_HOME: '/srv/.exai-2/home.d' },
    { EXAI_HOME: '', HOME: '/home/ann' },
    { HOME: '/home/ann.b-c_d' },
    { EXAI_HOME: '/mit leer/zeichen ü' },
  ])('the plain socket path of %j is that of the home', (env) => {
  expect(plainSocketPath(env)).toBe(homePaths(env).socketFile);
});

test.each([
  { EXAI_HOME: '~/.exai', HOME: '/home/ann' },
  { EXAI_HOME: '/srv/../etc' },
  { EXAI_HOME: '/srv/./exai' },
  { EXAI_HOME: '/srv//exai' },
  { EXAI_HOME: '/srv/exai/' },
  { EXAI_HOME: 'relative' },
  { EXAI_HOME: `/${'x'.repeat(200)}` },
  { EXAI_HOME: '/..' },
  {},
])('%j is left to whoever looks closer', (env) => {
  expect(plainSocketPath(env)).toBeUndefined();
});
