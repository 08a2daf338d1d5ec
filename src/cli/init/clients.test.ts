import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { chooseClients, INIT_CLIENTS } from './clients.ts';
import { clientOf, PROGRAMS } from './init.fixture.ts';
import { launchCommandFor } from './launch-command.ts';
import type { PathContext } from './paths.ts';

describe('clients', () => {
  const LINUX: PathContext = { platform: 'linux', home: '/home/ada', env: {} };
  const MACOS: PathContext = { platform: 'darwin', home: '/Users/ada', env: {} };
  const WINDOWS: PathContext = {
    platform: 'win32',
    home: 'C:\\Users\\ada',
    env: { APPDATA: 'D:\\Roaming' },
  };

  /** From the documentation of each client. */
  const FILES: Record<string, readonly [linux: string, macos: string, windows: string]> = {
    'claude-code': ['.claude.json', '.claude.json', 'C:\\Users\\ada\\.claude.json'],
    'claude-desktop': [
      '.config/Claude/claude_desktop_config.json',
      'Library/Application Support/Claude/claude_desktop_config.json',
      'D:\\Roaming\\Claude\\claude_desktop_config.json',
    ],
    vscode: [
      '.config/Code/User/mcp.json',
      'Library/Application Support/Code/User/mcp.json',
      'D:\\Roaming\\Code\\User\\mcp.json',
    ],
    'vscode-insiders': [
      '.config/Code - Insiders/User/mcp.json',
      'Library/Application Support/Code - Insiders/User/mcp.json',
      'D:\\Roaming\\Code - Insiders\\User\\mcp.json',
    ],
    cursor: ['.cursor/mcp.json', '.cursor/mcp.json', 'C:\\Users\\ada\\.cursor\\mcp.json'],
    windsurf: [
      '.codeium/windsurf/mcp_config.json',
      '.codeium/windsurf/mcp_config.json',
      'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json',
    ],
    codex: ['.codex/config.toml', '.codex/config.toml', 'C:\\Users\\ada\\.codex\\config.toml'],
    'gemini-cli': [
      '.gemini/settings.json',
      '.gemini/settings.json',
      'C:\\Users\\ada\\.gemini\\settings.json',
    ],
    opencode: [
      '.config/opencode/opencode.jsonc',
      '.config/opencode/opencode.jsonc',
      'C:\\Users\\ada\\.config\\opencode\\opencode.jsonc',
    ],
    zed: [
      '.config/zed/settings.json',
      '.config/zed/settings.json',
      'D:\\Roaming\\Zed\\settings.json',
    ],
    cline: [
      '.cline/data/settings/cline_mcp_settings.json',
      '.cline/data/settings/cline_mcp_settings.json',
      'C:\\Users\\ada\\.cline\\data\\settings\\cline_mcp_settings.json',
    ],
    augment: [
      '.augment/settings.json',
      '.augment/settings.json',
      'C:\\Users\\ada\\.augment\\settings.json',
    ],
  };

  test.each(INIT_CLIENTS)('$id has its settings where its documentation says', (client) => {
    const [linux, macos, windows] = FILES[client.id] ?? [];
    const found = [LINUX, MACOS, WINDOWS].map((machine) => client.locate(machine).files[0]);
    expect(found).toEqual([`/home/ada/${linux}`, `/Users/ada/${macos}`, windows]);
  });

  test('each client is in the list once', () => {
    const ids = INIT_CLIENTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ['claude-code', { CLAUDE_CONFIG_DIR: '/cc' }, '/cc/.claude.json'],
    ['codex', { CODEX_HOME: '/cx' }, '/cx/config.toml'],
    ['gemini-cli', { GEMINI_CLI_HOME: '/g' }, '/g/.gemini/settings.json'],
    ['opencode', { XDG_CONFIG_HOME: '/x' }, '/x/opencode/opencode.jsonc'],
    ['zed', { XDG_CONFIG_HOME: '/x' }, '/x/zed/settings.json'],
    ['vscode', { XDG_CONFIG_HOME: '/x' }, '/x/Code/User/mcp.json'],
    ['cline', { CLINE_DIR: '/c' }, '/c/data/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_DATA_DIR: '/d' }, '/d/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_MCP_SETTINGS_PATH: '/m.json' }, '/m.json'],
    ['codex', { CODEX_HOME: 'relative' }, '/home/ada/.codex/config.toml'],
    ['codex', { CODEX_HOME: '' }, '/home/ada/.codex/config.toml'],
  ])('%s follows %j', (id, env, file) => {
    expect(clientOf(id).locate({ ...LINUX, env }).files[0]).toBe(file);
  });

  const SHELL = { command: 'exai', args: ['stdio'] };
  const DESKTOP = { command: '/usr/bin/node', args: ['/opt/exai/bin/exai.cjs', 'stdio'] };

  const ENTRIES: readonly (readonly [string, string, object])[] = [
    ['claude-code', 'mcpServers.exai', { type: 'stdio', ...SHELL, env: {} }],
    ['claude-desktop', 'mcpServers.exai', DESKTOP],
    ['vscode', 'servers.exai', { type: 'stdio', ...DESKTOP }],
    ['vscode-insiders', 'servers.exai', { type: 'stdio', ...DESKTOP }],
    ['cursor', 'mcpServers.exai', DESKTOP],
    ['windsurf', 'mcpServers.exai', DESKTOP],
    ['codex', 'mcp_servers.exai', SHELL],
    ['gemini-cli', 'mcpServers.exai', SHELL],
    ['opencode', 'mcp.exai', { type: 'local', command: ['exai', 'stdio'] }],
    ['zed', 'context_servers.exai', DESKTOP],
    ['cline', 'mcpServers.exai', DESKTOP],
    ['augment', 'mcpServers.exai', SHELL],
  ];

  verifies(
    'init:formats',
    'every client is told to start the shim, where it looks for servers',
    () => {
      expect(ENTRIES.map(([id]) => id).toSorted()).toEqual(
        INIT_CLIENTS.map(({ id }) => id).toSorted(),
      );
      for (const [id, member, entry] of ENTRIES) {
        const client = clientOf(id);
        const written = client.entry(launchCommandFor(client, PROGRAMS));
        const found = [id, client.keyPath(() => undefined).join('.'), written];
        expect(found).toEqual([id, member, entry]);
      }
    },
  );

  test.each(INIT_CLIENTS)('the entry of $id names a home other than the default', (client) => {
    const entry = client.entry({ ...SHELL, env: { EXAI_HOME: '/e' } });
    const name = client.id === 'opencode' ? 'environment' : 'env';
    expect(entry[name]).toEqual({ EXAI_HOME: '/e' });
  });

  test('opencode is written to where its version keeps servers', () => {
    const client = clientOf('opencode');
    const at = (document: Record<string, unknown>) => (path: readonly string[]) =>
      path.reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        document,
      );
    expect(client.keyPath(at({ mcp: { servers: { a: {} } } }))).toEqual(['mcp', 'servers', 'exai']);
    expect(client.keyPath(at({ mcp: { servers: { type: 'local' } } }))).toEqual(['mcp', 'exai']);
    expect(client.keyPath(at({ mcp: { servers: [] } }))).toEqual(['mcp', 'exai']);
  });
});

describe('choose clients', () => {
  test('clients are named by commas, each once', () => {
    expect(chooseClients('zed, cursor,zed,')?.map(({ id }) => id)).toEqual(['zed', 'cursor']);
    expect(chooseClients(undefined)).toBeUndefined();
  });

  test.each([
    ['claude', 'claude-code'],
    ['gemini', 'gemini-cli'],
    ['code', 'vscode'],
    ['Zed', 'zed'],
    ['claude,claude-code', 'claude-code'],
  ])('%s means %s', (typed, id) => {
    expect(chooseClients(typed)?.map((client) => client.id)).toEqual([id]);
  });

  test('a name that is nearly one of them is suggested', () => {
    expect(() => chooseClients('gemni')).toThrow('did you mean "gemini"?');
  });

  test.each(['cursr', 'nothing', '__proto__'])('%s is not one of them', (id) => {
    expect(() => chooseClients(id)).toThrow(/No client is called/);
  });
});
