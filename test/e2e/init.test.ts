import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, createHome, createPlainHome, type Result } from './exai.ts';
import { startShim } from './shim-client.ts';
import { verifies } from '../verifies.ts';

/** Realistic settings of five clients. */
const SETTINGS = {
  '.claude.json': '{\n  "numStartups": 3,\n  "mcpServers": {}\n}\n',
  '.cursor/mcp.json':
    '{\r\n\t// team\r\n\t"mcpServers": {\r\n\t\t"db": { "command": "uvx", "env": { "DB_TOKEN": "t0psecret99" } },\r\n\t},\r\n}\r\n',
  '.codex/config.toml':
    'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "npx"\ntool_timeout_sec = 60.0\n',
  '.config/zed/settings.json': '// Zed\n{\n  "buffer_font_size": 15, /* big */\n}\n',
  '.config/opencode/opencode.json': '{"theme":"system"}',
} as const;

function user() {
  const { root, path, exai } = createPlainHome();
  for (const [name, text] of Object.entries(SETTINGS)) {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  }
  const read = () =>
    Object.fromEntries(
      Object.keys(SETTINGS).map((name) => [name, readFileSync(path(name), 'utf8')]),
    );
  const env = { EXAI_HOME: path('.exai'), PATH: '/usr/bin:/bin' };
  const init = (...args: string[]): Promise<Result> => exai(['init', ...args], { env });
  return { root, path, init, exai, read };
}

verifies(
  'init:undo',
  'five clients are connected by one command, and taken back by another',
  async () => {
    const { path, init, read } = user();

    const shown = await init('--dry-run');
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(/^ {2}Claude Code +~\/\.claude\.json +add exai$/m);
    expect(shown.stdout).toMatch(/^ {2}Codex +~\/\.codex\/config\.toml +add exai$/m);
    expect(shown.stdout).toMatch(/^Not found: Claude Desktop, VS Code, /m);
    expect(shown.stdout).toContain('\n+[mcp_servers.exai]\n');
    expect(shown.stdout).toContain('5 files would change; nothing was written.\n');
    expect(shown.stdout).not.toContain('t0psecret99');
    expect(read()).toEqual(SETTINGS);
    expect(existsSync(path('.exai'))).toBe(false);

    const asked = await init();
    expect(asked.code).toBe(2);
    expect(asked.stderr).toBe(
      'exai: No terminal is available to confirm this, so nothing was written.\n  fix: Confirm with --yes.\n',
    );
    expect(read()).toEqual(SETTINGS);

    const done = await init('--yes');
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain('5 files written.\n');
    expect(done.stdout).toMatch(/^ {2}Claude Code +answers, \d+ tools$/m);
    expect(done.stdout).toContain('Restart Codex');
    const written = read();
    const program = { command: process.execPath, args: [BIN, 'stdio'] };
    expect(JSON.parse(written['.claude.json'] ?? '')).toEqual({
      numStartups: 3,
      mcpServers: { exai: { type: 'stdio', ...program, env: {} } },
    });
    expect(written['.codex/config.toml']).toBe(
      `${SETTINGS['.codex/config.toml']}\n[mcp_servers.exai]\ncommand = ${JSON.stringify(program.command)}\n` +
        `args = ${JSON.stringify(program.args).replace(',', ', ')}\n`,
    );
    expect(JSON.parse(written['.config/opencode/opencode.json'] ?? '')).toEqual({
      theme: 'system',
      mcp: { exai: { type: 'local', command: [program.command, ...program.args] } },
    });
    expect(written['.config/zed/settings.json']).toMatch(
      /^\/\/ Zed\n\{\n.*15, \/\* big \*\/\n {2}"context_servers"/,
    );

    const again = await init('--yes');
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining('Nothing was changed.\n'),
    ]);
    expect(again.stdout.match(/connected already/g)).toHaveLength(5);
    expect(read()).toEqual(written);

    const unsure = await init('--undo');
    expect([unsure.code, unsure.stderr]).toEqual([
      2,
      'exai: No terminal is available to confirm this, so nothing was taken back.\n  fix: Confirm with --yes.\n',
    ]);
    expect(read()).toEqual(written);
    expect((await init('--undo', '--dry-run')).stdout).toContain('5 files would change;');

    const undone = await init('--undo', '--yes');
    expect([undone.code, undone.stdout]).toEqual([
      0,
      expect.stringContaining('5 files put back.\n'),
    ]);
    expect(read()).toEqual(SETTINGS);
    expect((await init('--undo')).stdout).toBe('There is nothing to undo.\n');
  },
);

verifies(
  'init:refuses',
  'a malformed file is refused with its place, and the others are written',
  async () => {
    const { path, init, exai } = user();
    writeFileSync(path('.cursor/mcp.json'), '{\n  "mcpServers": {,}\n}\n');
    const env = { EXAI_HOME: path('.exai') };
    const { code, stdout, stderr } = await init('--yes', 'cursor,zed');
    expect(code).toBe(3);
    expect(stdout).toContain('1 file written.\n');
    expect(stderr).toContain(
      `exai: Cursor: ${path('.cursor/mcp.json')}:2:18: A name in double quotes is missing here.`,
    );
    expect((await exai(['init', 'cursor', 'zed'], { env })).stderr).toContain(
      'exai init cursor,zed',
    );
    expect((await init('cursr')).stderr).toContain('did you mean "cursor"?');
    expect((await init('windsurf', '--yes')).code).toBe(6);
  },
);

test('the same is printed as JSON', async () => {
  const { path, init } = user();
  const document = JSON.parse((await init('codex,windsurf', '--yes', '--json')).stdout);
  expect(document).toMatchObject({
    action: 'init',
    dry_run: false,
    written: 1,
    backups: path('.exai/backups/clients'),
    clients: [
      { client: 'codex', state: 'add', written: true, file: path('.codex/config.toml') },
      { client: 'windsurf', state: 'absent', written: false },
    ],
  });
  expect(document.clients[0].diff).toContain('+[mcp_servers.exai]');
  expect(document).toMatchObject({ left_behind: [] });
  const undone = JSON.parse((await init('--undo', '--yes', '--json')).stdout);
  expect(undone).toMatchObject({ action: 'undo', written: 1, clients: [{ state: 'restore' }] });
});

verifies(
  'init:connects',
  'an entry that does not answer is reported with the reason, and its client gets no next step',
  async () => {
    const { path, init } = user();
    mkdirSync(path('.exai'), { mode: 0o700 });
    writeFileSync(path('.exai/config.json'), '{"prot":0}', { mode: 0o600 });
    const { code, stdout, stderr } = await init('codex', '--yes');
    expect([code, stdout]).toEqual([18, expect.stringContaining('1 file written.\n')]);
    expect(stdout).toMatch(/^ {2}Codex +does not answer$/m);
    expect(stdout).not.toContain('Restart Codex');
    expect(stderr).toContain('exai: Codex cannot start exai: It answers with an error: ');
    expect(stderr).toContain('config.json:1:2: "prot" is not a setting');
    const document = JSON.parse((await init('codex', '--yes', '--json')).stdout);
    expect(document.clients[0]).toMatchObject({
      state: 'connected',
      check: { answers: false, error: { class: 'bad_response' } },
    });

    writeFileSync(path('.exai/config.json'), '{"port":0}');
    const fixed = await init('codex', '--yes');
    expect([fixed.code, fixed.stdout]).toEqual([0, expect.stringMatching(/answers, \d+ tools/)]);
  },
);

test('without any client an entry to paste is printed; a file that was created is reported as removed', async () => {
  const { path, exai } = createHome();
  const env = { EXAI_HOME: path('.exai'), PATH: '/usr/bin:/bin' };
  const nobody = await exai(['init'], { env });
  expect(nobody.code).toBe(6);
  expect(nobody.stdout).toContain('docs/clients.md');
  const pasted: unknown = JSON.parse(nobody.stdout.slice(nobody.stdout.indexOf('{')));
  const exaiEntry = { command: process.execPath, args: [BIN, 'stdio'] };
  expect(pasted).toEqual({ mcpServers: { exai: exaiEntry } });
  const data = JSON.parse((await exai(['init', '--json'], { env })).stdout) as { by_hand: string };
  expect(JSON.parse(data.by_hand)).toEqual(pasted);

  mkdirSync(path('.cursor'));
  expect((await exai(['init', '--yes'], { env })).stdout).toContain('1 file written.\n');
  const undone = await exai(['init', '--undo', '--yes'], { env });
  expect(undone.stdout).toContain('\n1 file removed.\n');
  expect(existsSync(path('.cursor/mcp.json'))).toBe(false);
});

test('keys that only the shell has are named, and how to keep them', async () => {
  const { path, exai } = user();
  const env = {
    EXAI_HOME: path('.exai'),
    GLM_API_KEY: 'some.key0001',
    KIMI_API_KEY: 'sk-0001',
    GLM_API_URL: 'http://127.0.0.1:9/v4',
    KIMI_API_URL: 'http://me:password@127.0.0.1:9/v1',
    NODE_EXTRA_CA_CERTS: path('my ca.pem'),
  };
  mkdirSync(path('.exai'));
  writeFileSync(path('.exai/.env'), 'KIMI_API_KEY=sk-0001\n', { mode: 0o600 });
  const told = await exai(['init', 'codex', '--dry-run'], { env });
  // Node.js itself warns about a file that is not there.
  expect([told.code, told.stderr.replace(/^Warning: .*\n/, '')]).toEqual([
    0,
    'exai: These settings exist only in this shell, so clients started elsewhere do not have them: GLM_API_KEY, GLM_API_URL, KIMI_API_URL, NODE_EXTRA_CA_CERTS.\n' +
      '  fix: exai keys add glm\n' +
      '  fix: exai config set GLM_API_URL http://127.0.0.1:9/v4\n' +
      '  fix: write KIMI_API_URL=… to .env of EXAI_HOME\n' +
      `  fix: exai config set NODE_EXTRA_CA_CERTS '${path('my ca.pem')}'\n`,
  ]);
  const undone = await exai(['init', '--undo'], { env });
  expect(undone.stderr.replace(/^Warning: .*\n/, '')).toBe('');
});

verifies(
  'security:token-commands',
  'an entry holds no token, and works where one is required, before and after it is replaced',
  async () => {
    const { root, path, exai, init, read } = user();
    const env = { EXAI_HOME: path('.exai'), EXAI_PORT: '0', EXAI_AUTH_REQUIRE_TOKEN: 'true' };
    expect((await init('claude-code', '--yes')).code).toBe(0);
    const written = read();
    expect(JSON.parse(written['.claude.json'] ?? '')).toMatchObject({
      mcpServers: { exai: { args: [BIN, 'stdio'], env: {} } },
    });
    // The command of the entry.
    const connect = async () => {
      const client = startShim(root, { env });
      await client.initialize();
      expect(JSON.stringify((await client.request('tools/list')).result)).toContain('"call_tool"');
      return client;
    };
    const before = await connect();
    const shown = (await exai(['token', 'show'], { env })).stdout.trim();
    expect(JSON.stringify(written)).not.toContain(shown);
    expect((await exai(['token', 'rotate', '--now'], { env })).code).toBe(0);
    expect((await before.request('tools/list')).error).toBeUndefined();
    const after = await connect();
    expect(read()).toEqual(written);
    expect([await before.end(), await after.end()]).toEqual([0, 0]);
    expect((await exai(['stop'], { env })).code).toBe(0);
  },
);

test('a home that is read-only is refused before anything is touched', async () => {
  const { exai, read } = user();
  const env = { EXAI_HOME: '/sys/exai', PATH: '/usr/bin:/bin' };
  const { code, stderr } = await exai(['init', '--yes'], { env });
  expect(code).not.toBe(0);
  expect(stderr).toContain('EX-AI cannot use its home /sys/exai.');
  expect(read()).toEqual(SETTINGS);
});

test('a home that is not the usual one stands in what is written', async () => {
  const { path, exai, read } = user();
  const env = { EXAI_HOME: path('elsewhere') };
  expect((await exai(['init', 'codex', '--yes'], { env })).code).toBe(0);
  expect(read()['.codex/config.toml']).toContain(
    `env = { EXAI_HOME = ${JSON.stringify(path('elsewhere'))} }\n`,
  );
});
