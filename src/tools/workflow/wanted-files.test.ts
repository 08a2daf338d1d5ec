import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
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
  expect(notices).toEqual([notice('expert_wants_secrets', { files: [path], more: 0 })]);
});

test('what holds none is passed on as it is', () => {
  const files = ['src/a.ts:12', '.env.example', 'file:///%', 'environment.ts'];
  expect(wantedFiles(files)).toEqual({ files, notices: [] });
});

test('of very many only some are told by name', () => {
  const { files, notices } = wantedFiles(Array.from({ length: 30 }, (_, at) => `${at}/.env`));
  expect(files).toEqual([]);
  expect(notices.map(baseRenderer.notice).join()).toContain('19/.env and 10 more.');
});
