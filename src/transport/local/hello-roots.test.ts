import { expect, test } from 'vitest';
import { helloRoots } from './hello-roots.ts';

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
