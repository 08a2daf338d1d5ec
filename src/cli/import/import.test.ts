import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { INIT_CLIENTS } from '../init/clients.ts';
import { createUser } from '../init/init.fixture.ts';
import { namedSource, readSource, sourceOf } from './found-servers.ts';
import { planMoves } from './move-entries.ts';
import { asConfigured, planImport, type ImportContext } from './plan-import.ts';
import { runImport } from './run-import.ts';
import { planImportUndo, runImportUndo, storedVariables } from './undo-import.ts';

const KEY = 'ghp_q7Zr2LxW9pKd4TbN8vHs3MfYc6JgUa1Eq7Zr';
const AT = '2026-01-02T03:04:05.678Z';
const EXAI = { command: 'exai', args: ['stdio'] };

/** A user whose clients have these files. */
function userWith(
  files: Readonly<Record<string, string | object>>,
  known: Partial<ImportContext> = {},
) {
  const user = createUser();
  const fileOf = (id: string) => user.fileOf(id);
  for (const [id, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    mkdirSync(dirname(fileOf(id)), { recursive: true });
    writeFileSync(fileOf(id), text);
  }
  const sources = () =>
    INIT_CLIENTS.flatMap((client) => sourceOf(client, user.machine) ?? []).map(readSource);
  const configured = () => {
    const text = readIfThere(user.home.configFile) ?? '{}';
    return (JSON.parse(text) as { mcpServers?: Record<string, object> }).mcpServers ?? {};
  };
  const plan = () => {
    const stored = storedVariables(user.home);
    const found = sources().flatMap((read) => (read.is === 'read' ? read.servers : []));
    return planImport(found, {
      machine: user.machine,
      configured: asConfigured(configured()),
      otherNames: new Set(),
      lookUp: (name) => stored.get(name),
      ports: new Set([8765]),
      ...known,
    });
  };
  const run = (how: 'copy' | 'move' = 'copy') => {
    const planned = plan();
    const moves = how === 'move' ? planMoves(sources(), planned) : [];
    return runImport(
      user.home,
      planned.filter((each) => each.is === 'add'),
      moves.filter((each) => each.is === 'remove'),
      AT,
    );
  };
  const undo = () => {
    const undoPlan = planImportUndo(user.home);
    if (!undoPlan) throw new Error('nothing to undo');
    runImportUndo(user.home, undoPlan);
    return undoPlan;
  };
  return { ...user, plan, run, undo, sources, configured, fileOf };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** What of a plan is written. */
function settingsOf(plan: ReturnType<typeof planImport>) {
  return Object.fromEntries(
    plan.flatMap((each) => (each.is === 'add' ? [[each.name, each.settings]] : [])),
  );
}

describe('entries of clients', () => {
  test.each([
    [
      'claude-desktop',
      { mcpServers: { a: { command: 'x', args: ['y', 1], env: { N: '1' } } } },
      { command: 'x', args: ['y', '1'], env: { N: '1' } },
    ],
    [
      'vscode',
      {
        servers: {
          a: {
            type: 'http',
            url: 'https://a.example/mcp',
            headers: { 'X-Region': 'eu-1', 'X-Key': '${input:the key}' },
          },
        },
      },
      {
        url: 'https://a.example/mcp',
        headers: { 'X-Region': 'eu-1', 'X-Key': '${MCP_A_THE_KEY}' },
      },
    ],
    [
      'cursor',
      { mcpServers: { a: { command: 'x', env: { T: '${env:OWN}', H: '${userHome}${/}a' } } } },
      { command: 'x', env: { T: '${OWN}', H: '/home/a' } },
    ],
    [
      'windsurf',
      { mcpServers: { a: { serverUrl: 'https://a.example/sse', disabled: true } } },
      { url: 'https://a.example/sse', disabled: true },
    ],
    [
      'codex',
      '[mcp_servers.a]\ncommand = "x"\nenv_vars = ["ONE", { name = "TWO" }]\ntool_timeout_sec = 90.0\ndisabled_tools = ["rm"]\n',
      {
        command: 'x',
        env: { ONE: '${ONE}', TWO: '${TWO}' },
        disabledTools: ['rm'],
        callTimeoutMs: 90_000,
      },
    ],
    [
      'codex',
      '[mcp_servers.a]\nurl = "https://a.example/mcp"\nbearer_token_env_var = "TOKEN"\nenabled = false\n',
      {
        url: 'https://a.example/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        disabled: true,
      },
    ],
    [
      'gemini-cli',
      {
        mcpServers: {
          a: {
            httpUrl: 'https://a.example/mcp',
            headers: { Authorization: 'Bearer $TOKEN' },
            timeout: 600_000,
          },
        },
      },
      {
        url: 'https://a.example/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        callTimeoutMs: 600_000,
      },
    ],
    [
      'opencode',
      {
        mcp: {
          a: {
            type: 'local',
            command: ['x', 'y'],
            environment: { T: '{env:OWN}' },
            enabled: false,
          },
        },
      },
      { command: 'x', args: ['y'], env: { T: '${OWN}' }, disabled: true },
    ],
    [
      'zed',
      { context_servers: { a: { command: { path: 'x', args: ['y'], env: { A: 'b' } } } } },
      { command: 'x', args: ['y'], env: { A: 'b' } },
    ],
    [
      'cline',
      {
        mcpServers: {
          a: { type: 'sse', url: 'https://a.example/sse', timeout: 60, autoApprove: ['b'] },
        },
      },
      { type: 'sse', url: 'https://a.example/sse', callTimeoutMs: 60_000 },
    ],
    [
      'claude-code',
      { mcpServers: { a: { command: 'x', args: ['${OWN:-fallback}', 'cost $5'] } } },
      { command: 'x', args: ['fallback', 'cost $5'] },
    ],
  ] as const)('of %s become entries of config.json: %j', (client, content, settings) => {
    const { plan, machine } = userWith({ [client]: content });
    const text = JSON.stringify(settingsOf(plan())).replaceAll(machine.home, '/home');
    expect(JSON.parse(text)).toEqual({ a: settings });
  });

  test('of a project of Claude Code are found, and run there if a path begins there', () => {
    const { plan } = userWith({
      'claude-code': {
        projects: { '/work/p': { mcpServers: { a: { command: './run' }, b: { command: 'b' } } } },
      },
    });
    expect(settingsOf(plan())).toEqual({
      a: { command: './run', cwd: '/work/p' },
      b: { command: 'b' },
    });
  });

  test('of a file of a project are found, whatever its client is', () => {
    const user = createUser();
    const file = join(user.root, '.mcp.json');
    writeFileSync(file, '{ "mcpServers": { "a": { "command": "x" } } } // comment');
    const read = readSource(namedSource(file));
    expect(read.is === 'read' && read.servers.map(({ name }) => name)).toEqual(['a']);
  });

  test.each([
    [{ command: 'x', args: ['${workspaceFolder}/y'] }, 'workspaceFolder'],
    [{}, 'neither'],
    [{ command: 'x', url: 'https://a.example' }, 'and a URL'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ command: 'x', env: { 'not a name': 'y' } }, 'env'],
    ['text', 'not an object'],
  ])('that cannot be used are left alone: %j', (raw, why) => {
    const { plan } = userWith({ cursor: { mcpServers: { a: raw } } });
    expect(plan()).toEqual([
      expect.objectContaining({ is: 'unusable', why: expect.stringContaining(why) }),
    ]);
  });
});

describe('the import', () => {
  test.each([
    EXAI,
    { command: '/usr/bin/node', args: ['/opt/exai/bin/exai.cjs', 'stdio'] },
    { command: 'npx', args: ['exai', 'stdio'] },
    { command: 'exai', args: ['servers', 'run', 'memory'] },
    { url: 'http://localhost:8765/mcp' },
    { command: 'npx', args: ['mcp-remote', 'http://127.0.0.1:8765/mcp'] },
    { command: 'python', args: ['/src/EX-AI/scripts/run_ws_shim.py'] },
  ])('leaves EX-AI itself alone: %j', (entry) => {
    const { plan, run, configured } = userWith({ cursor: { mcpServers: { other: entry } } });
    expect(plan()).toEqual([expect.objectContaining({ is: 'exai' })]);
    run('move');
    expect(configured()).toEqual({});
  });

  verifies('import:secrets', 'secrets of any place go to .env, and nothing else does', () => {
    const { run, configured, home } = userWith({
      'claude-code': {
        mcpServers: {
          a: {
            command: 'npx',
            args: [
              '-y',
              'pkg@1.2.3',
              '--api-key',
              KEY,
              `--token=${KEY}`,
              'postgres://ada:pass@db/app',
            ],
            env: {
              API_KEY: 'short',
              LEVEL: 'debug',
              DATA: '/var/data',
              LOOSE: KEY,
              KEPT: '${OWN}',
            },
          },
          'b.c': {
            url: `https://u.example/mcp/${KEY}/sse?api_key=hidden&region=eu`,
            headers: { Authorization: 'Bearer abc', 'X-Org': 'ORG 7', Accept: 'text/plain' },
          },
        },
      },
    });
    run();
    const config = JSON.stringify(configured());
    for (const secret of [KEY, 'short', 'pass@', 'hidden', 'abc', 'ORG 7'])
      expect(config).not.toContain(secret);
    expect(configured()).toEqual({
      a: {
        command: 'npx',
        args: [
          '-y',
          'pkg@1.2.3',
          '--api-key',
          '${MCP_A_API_KEY}',
          '--token=${MCP_A_TOKEN}',
          '${MCP_A_ARGUMENT}',
        ],
        env: {
          API_KEY: '${MCP_A_API_KEY_2}',
          LEVEL: 'debug',
          DATA: '/var/data',
          LOOSE: '${MCP_A_LOOSE}',
          KEPT: '${OWN}',
        },
      },
      'b-c': {
        url: 'https://u.example/mcp/${MCP_B_C_PATH}/sse?api_key=${MCP_B_C_API_KEY}&region=eu',
        headers: {
          Authorization: 'Bearer ${MCP_B_C_AUTHORIZATION}',
          'X-Org': '${MCP_B_C_X_ORG}',
          Accept: 'text/plain',
        },
      },
    });
    expect(storedVariables(home).get('MCP_A_ARGUMENT')).toBe('postgres://ada:pass@db/app');
  });

  test('merges what is the same, and tells accounts of one server apart', () => {
    const account = (token: string) => ({ command: 'gh', env: { GITHUB_TOKEN: token } });
    const { plan, run } = userWith({
      'claude-code': { mcpServers: { gh: account('one-1') } },
      cursor: { mcpServers: { gh: account('two-2'), same: account('one-1') } },
      codex: '[mcp_servers.gh]\ncommand = "gh"\n[mcp_servers.gh.env]\nGITHUB_TOKEN = "three-3"\n',
    });
    expect(Object.keys(settingsOf(plan()))).toEqual(['gh', 'gh-cursor', 'gh-codex']);
    run();
    expect(plan().map(({ is }) => is)).toEqual(['present', 'present', 'present']);
  });

  test('does not touch a server of config.json that has the same name', () => {
    const user = userWith({ cursor: { mcpServers: { db: { command: 'new' } } } });
    user.write(user.home.configFile, '{ "mcpServers": { "db": { "command": "old" } } }');
    user.run();
    expect(user.configured()).toEqual({ db: { command: 'old' }, 'db-cursor': { command: 'new' } });
  });

  const MOVED = {
    'claude-code': `{
  "numStartups": 41,
  "mcpServers": {
    "exai": { "command": "exai", "args": ["stdio"] },
    "a": { "command": "a", "env": { "TOKEN": "${KEY}" } }
  },
  "projects": { "/work/p": { "mcpServers": { "b": { "command": "b" } } } },
  "cachedNumber": 1.50e+3
}`,
    codex: `# Codex
[mcp_servers."c.d"] # odd
command = "c"
[mcp_servers."c.d".env]
A = "b"

[mcp_servers.exai]
command = "exai"
args = ["stdio"]
`,
    cursor: '{ "mcpServers": { "z": { "command": "z" } } }',
  };

  verifies(
    'import:move',
    'entries move out of clients that use EX-AI, and come back exactly',
    () => {
      const { run, undo, fileOf, configured, home } = userWith(MOVED);
      expect(run('move')).toEqual([]);
      expect(Object.keys(configured())).toEqual(['a', 'b', 'z', 'c-d']);
      const claude = readFileSync(fileOf('claude-code'), 'utf8');
      expect(claude).not.toMatch(/"a"|"b"/);
      expect(claude).toMatch(/"exai"[^]*1\.50e\+3/);
      expect(readFileSync(fileOf('codex'), 'utf8')).toBe(
        '# Codex\n\n[mcp_servers.exai]\ncommand = "exai"\nargs = ["stdio"]\n',
      );
      expect(readFileSync(fileOf('cursor'), 'utf8')).toBe(MOVED.cursor);
      undo();
      for (const [id, text] of Object.entries(MOVED))
        expect(readFileSync(fileOf(id), 'utf8')).toBe(text);
      expect(configured()).toEqual({});
      expect([...storedVariables(home)]).toEqual([]);
    },
  );

  verifies('import:move', 'what was changed since the import is kept when it is taken back', () => {
    const { run, undo, fileOf, configured, home, write } = userWith(MOVED);
    run('move');
    const claude = readFileSync(fileOf('claude-code'), 'utf8').replace('41', '42');
    writeFileSync(fileOf('claude-code'), claude);
    const edited = { ...configured(), a: { ...configured()['a'], callTimeoutMs: 5_000 } };
    write(home.configFile, JSON.stringify({ mcpServers: edited }), 0o600);
    const { kept, servers, variables } = undo();
    expect({ kept, servers, variables }).toEqual({
      kept: ['a'],
      servers: ['b', 'z', 'c-d'],
      // The server that stays refers to it.
      variables: [],
    });
    const now = JSON.parse(readFileSync(fileOf('claude-code'), 'utf8')) as object;
    expect(now).toMatchObject({
      numStartups: 42,
      mcpServers: { a: { command: 'a', env: { TOKEN: KEY } } },
      projects: { '/work/p': { mcpServers: { b: { command: 'b' } } } },
    });
    expect(planImportUndo(home)).toBeUndefined();
  });

  test('a file that was changed during the question is left as it is, and the others are not', () => {
    const user = userWith(MOVED);
    const planned = user.plan();
    const moves = planMoves(user.sources(), planned);
    writeFileSync(user.fileOf('claude-code'), '{}');
    const failed = runImport(
      user.home,
      planned.filter((each) => each.is === 'add'),
      moves.filter((each) => each.is === 'remove'),
      AT,
    );
    expect(failed.map(({ error }) => error.class)).toEqual(['conflict']);
    expect(readFileSync(user.fileOf('claude-code'), 'utf8')).toBe('{}');
    expect(readFileSync(user.fileOf('codex'), 'utf8')).not.toContain('c.d');
    user.undo();
    expect(readFileSync(user.fileOf('codex'), 'utf8')).toBe(MOVED.codex);
  });
});
