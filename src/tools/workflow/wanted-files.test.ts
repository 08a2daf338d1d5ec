import { expect, test } from 'vitest';
import { wantedFiles } from './wanted-files.ts';

test.each([
  '.env',
  'config/.ENV.production',
  './.env:3',
  '.env/.',
  'src/../.env/',
  'file:///project/%2eenv',
  'keys\\id_rsa',
  '/home/a/.aws/credentials',
  'server.pem:1:2',
])('%j is not passed on, and its name is told', (path) => {
  const { files, notices } = wantedFiles(['src/a.ts', path]);
  expect(files).toEqual(['src/a.ts']);
  expect(notices).toEqual([
    `The expert also asked for what may hold secrets, which is left out here: ${path}. Give it only if the user wants that.`,
  ]);
});

test('what holds none is passed on as it is', () => {
  const files = ['src/a.ts:12', '.env.example', 'file:///%', 'environment.ts'];
  expect(wantedFiles(files)).toEqual({ files, notices: [] });
});

test('of very many only some are told by name', () => {
  const { files, notices } = wantedFiles(Array.from({ length: 30 }, (_, at) => `${at}/.env`));
  expect(files).toEqual([]);
  expect(notices.join()).toContain('19/.env and 10 more.');
});
