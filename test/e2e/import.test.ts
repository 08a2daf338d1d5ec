import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { everythingOverStdio, filesystemServer, memoryServer } from './upstream-servers.ts';

const EXAI = { command: 'exai', args: ['stdio'] };

verifies(
  'import:move',
  'servers of three clients are called through EX-AI, and their entries come back exactly',
  async () => {
    const { exai, serve, root, path } = createHome();
    const write = (name: string, content: object | string) => {
      const file = join(root, name);
      mkdirSync(dirname(file), { recursive: true });
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
      writeFileSync(file, text);
      return { file, text };
    };
    const files = filesystemServer(root);
    const written = [
      write('.claude.json', {
        numStartups: 7,
        mcpServers: {
          exai: EXAI,
          memory: { type: 'stdio', ...memoryServer(join(root, 'one.jsonl')) },
          everything: everythingOverStdio(),
        },
      }),
      write('.cursor/mcp.json', {
        mcpServers: { exai: EXAI, memory: memoryServer(join(root, 'two.jsonl')) },
      }),
      write(
        '.codex/config.toml',
        `[mcp_servers.exai]\ncommand = "exai"\nargs = ["stdio"]\n\n[mcp_servers.files]\ncommand = ${JSON.stringify(files.command)}\nargs = ${JSON.stringify(files.args)}\n`,
      ),
    ];
    await serve();
    const unasked = await exai(['import', '--move']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const moved = await exai(['import', '--move', '--yes', '--json']);
    expect(JSON.parse(moved.stdout)).toMatchObject({
      imported: ['memory', 'everything', 'memory-cursor', 'files'],
      errors: [],
    });
    for (const { file, text } of written) expect(readFileSync(file, 'utf8')).not.toBe(text);

    const call = async (name: string, args: object, tool = 'call_tool') => {
      const words = ['call', tool, '--args', JSON.stringify({ name, arguments: args })];
      return (await exai(words)).stdout;
    };
    await expect.poll(() => call('mcp__everything__get-sum', { a: 2, b: 40 })).toContain('42');
    await expect.poll(() => call('mcp__files__list_allowed_directories', {})).toContain(root);
    const entity = { entities: [{ name: 'Ada', entityType: 'person', observations: ['x'] }] };
    await expect
      .poll(() => call('mcp__memory__create_entities', entity, 'call_tool_write'))
      .toContain('Ada');
    // The other account knows nothing of it.
    expect(await call('mcp__memory__read_graph', {})).toContain('Ada');
    await expect.poll(() => call('mcp__memory-cursor__read_graph', {})).toContain('entities');
    expect(await call('mcp__memory-cursor__read_graph', {})).not.toContain('Ada');

    const absent = await exai(['import', '--file', 'absent.json']);
    expect([absent.code, absent.stderr]).toEqual([6, expect.stringContaining('does not exist')]);

    const undone = await exai(['import', '--undo', '--yes']);
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('taken back')]);
    for (const { file, text } of written) expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readFileSync(path('config.json'), 'utf8')).not.toContain('memory');
  },
);

verifies(
  'hub:health',
  'status and doctor name a server that fails, with the command that mends it',
  async () => {
    const { exai, serve } = createHome();
    await serve();
    await exai(['servers', 'add', 'ends', '--', process.execPath, '-e', 'process.exit(7)']);
    await exai(['servers', 'add', 'unset', '--env', 'EXAI_TEST_UNSET', process.execPath]);
    await expect
      .poll(async () => (await exai(['status'])).stdout)
      .toMatch(/exit code 7.*exai servers logs ends/);
    const { stdout } = await exai(['doctor']);
    expect(stdout).toMatch(
      /MCP servers +The program of the MCP server ends ended.*servers logs ends/,
    );
    expect(stdout).toMatch(
      /MCP servers +The MCP server unset needs EXAI_TEST_UNSET, .*=… to EXAI_HOME\/\.env/,
    );
  },
);
