import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { startShim } from './shim-client.ts';
import { everythingOverStdio } from './upstream-servers.ts';

const namesIn = (result: unknown, member: string) =>
  (result as Readonly<Record<string, readonly { name: string }[]>>)[member]?.map(
    ({ name }) => name,
  );

verifies('hub:run', 'exai servers run serves one server alone, under its own names', async () => {
  const home = createHome();
  const { command, args } = everythingOverStdio();
  expect((await home.exai(['servers', 'add', 'all', command, ...args])).code).toBe(0);
  await home.serve();
  expect((await home.exai(['servers', 'restart', 'all'])).code).toBe(0);

  const client = startShim(home.root, {}, ['servers', 'run', 'all']);
  const welcome = await client.initialize();
  expect(welcome.result).toMatchObject({ instructions: expect.stringContaining('all') });
  const tools = namesIn((await client.request('tools/list')).result, 'tools');
  expect(tools).toEqual(expect.arrayContaining(['echo', 'get-sum']));
  expect(tools).not.toContain('chat');
  const sum = await client.request('tools/call', { name: 'get-sum', arguments: { a: 2, b: 40 } });
  expect(JSON.stringify(sum.result)).toContain('42');
  const other = await client.request('tools/call', { name: 'status', arguments: {} });
  expect(other.error?.message).toContain('There is no tool');
  const prompts = namesIn((await client.request('prompts/list')).result, 'prompts');
  expect(prompts).toContain('simple-prompt');
  expect(await client.end()).toBe(0);

  const unknown = startShim(home.root, {}, ['servers', 'run', 'al']);
  expect((await unknown.initialize()).error?.message).toContain('did you mean "all"?');
  await unknown.end();
});
