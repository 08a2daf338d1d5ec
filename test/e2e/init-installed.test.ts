import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { userWithTarball } from './packed-exai.ts';

interface InitJson {
  readonly written: number;
  readonly clients: readonly { readonly client: string; readonly check?: object }[];
}

const CLIENTS = 'claude-code,cursor,codex';
const ANSWERS = { answers: true, tools: expect.any(Number) as number };

/** Settings of a client that is started in a shell, and of one that is not. */
function addClients(home: string): void {
  writeFileSync(join(home, '.claude.json'), '{}');
  mkdirSync(join(home, '.cursor'));
  mkdirSync(join(home, '.codex'));
}

function checksOf(stdout: string) {
  const { written, clients } = JSON.parse(stdout) as InitJson;
  return { written, checks: clients.map(({ client, check }) => [client, check]) };
}

const ALL_ANSWER = [
  ['claude-code', ANSWERS],
  ['cursor', ANSWERS],
  ['codex', ANSWERS],
];

verifies(
  'init:connects',
  'through npx in the folder of the program clients get its real path, and it answers',
  async () => {
    const { home, folder, run } = await userWithTarball();
    addClients(home);
    const done = await run(['npx', 'exai', 'init', CLIENTS, '--yes', '--json'], folder);
    expect([done.code, checksOf(done.stdout)]).toEqual([0, { written: 3, checks: ALL_ANSWER }]);
    const script = realpathSync(join(folder, 'bin/exai.cjs'));
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toMatchObject({
      mcpServers: { exai: { command: expect.stringMatching(/^\//), args: [script, 'stdio'] } },
    });
    // The check leaves no daemon behind.
    const status = await run(['node', script, 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: false });

    const undone = await run(['npx', 'exai', 'init', '--undo', '--yes', '--json'], folder);
    expect(undone.code).toBe(0);
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{}');
    expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(false);
  },
);

verifies(
  'init:connects',
  'a tarball that npx runs names the command that installs it, after which every client answers',
  async () => {
    const { home, tarball, run } = await userWithTarball();
    addClients(home);
    const npx = ['npx', '--yes', '--package', tarball, 'exai', 'init', CLIENTS] as const;
    const fetched = await run([...npx, '--yes']);
    expect(fetched.code).toBe(7);
    expect(fetched.stderr).toContain(`fix: npm install --global ${tarball}, then run exai init.`);
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{}');

    const installed = await run(['npm', 'install', '--global', '--prefix', home, tarball]);
    expect(installed.code).toBe(0);
    // Only the current shell has the folder on its PATH, so every client gets whole paths.
    const before = await run([join(home, 'bin/exai'), 'init', CLIENTS, '--dry-run', '--json']);
    expect(before.stdout).toContain(join(home, 'bin/exai'));
    expect(before.stdout).not.toContain('command = \\"exai\\"');
    const folders = `${join(home, 'bin')}:${dirname(process.execPath)}`;
    writeFileSync(join(home, '.profile'), `PATH="${folders}:$PATH"\n`);
    const done = await run([join(home, 'bin/exai'), 'init', CLIENTS, '--yes', '--json']);
    expect([done.code, checksOf(done.stdout)]).toEqual([0, { written: 3, checks: ALL_ANSWER }]);
    expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe(
      '[mcp_servers.exai]\ncommand = "exai"\nargs = ["stdio"]\n',
    );
    expect(JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'))).toMatchObject({
      mcpServers: { exai: { args: [join(home, 'bin/exai'), 'stdio'] } },
    });

    // From now on the installed program stands in for the copy of npx.
    const again = await run([...npx, '--yes', '--json']);
    expect(checksOf(again.stdout)).toEqual({ written: 0, checks: ALL_ANSWER });
  },
);
