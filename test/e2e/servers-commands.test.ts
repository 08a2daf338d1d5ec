import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { everythingOverStdio } from './upstream-servers.ts';

verifies(
  'hub:commands',
  'a server is added, connected, shown, switched off and on by tool and whole, and removed',
  async () => {
    const { exai, serve, path } = createHome();
    await serve();
    const run = async (...args: readonly string[]) => {
      const result = await exai(['servers', ...args]);
      expect([args, result.code, result.stderr]).toEqual([args, 0, result.stderr]);
      return result.stdout;
    };
    const { command, args } = everythingOverStdio();
    expect(await run('add', 'all', command, ...args)).toContain('in effect in the running daemon');
    const entries = () =>
      (JSON.parse(readFileSync(path('config.json'), 'utf8')) as { mcpServers?: object }).mcpServers;
    expect(entries()).toEqual({ all: { command, args } });
    expect((await exai(['servers', 'add', 'all', command])).stderr).toContain('already');

    expect(await run('restart', 'all')).toMatch(/^all: connected, \d+ tools/);
    expect(await run('show', 'all')).toContain('mcp__all__get-sum');
    expect(await run('list')).toMatch(/all +stdio +connected/);
    const sum = ['call', 'mcp__all__get-sum', '--args', '{"a": 2, "b": 40}'];
    expect((await exai(sum)).stdout).toContain('42');

    expect(await run('disable', 'all', 'get-sum')).toContain('off: get-sum');
    expect((await exai(sum)).code).not.toBe(0);
    expect(await run('enable', 'all', 'get-sum')).toContain('off: none');
    await expect.poll(async () => (await exai(sum)).stdout).toContain('42');

    await run('disable', 'all');
    expect(await run('list')).toMatch(/all +stdio +disabled/);
    await run('enable', 'all');
    const unknown = await exai(['servers', 'disable', 'al']);
    expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('"all"')]);
    expect(await run('remove', 'all')).toMatch(/^Removed all.*\nIt is in effect in the running/);
    expect(entries() ?? {}).toEqual({});

    const refused = await exai(['servers', 'add', '__proto__', command]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('must begin')]);
    expect(entries() ?? {}).toEqual({});
    expect(await run('add', 'composio')).toContain('It needs DEFAULT_USER_ID');
    expect(entries() ?? {}).toEqual({});
    expect((await exai(['servers', 'remove', 'composio'])).stderr).toContain(
      'keys remove composio',
    );
    expect(await run('list')).toContain('exai servers add');
  },
);
