import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { verifies } from '../verifies.ts';
import { createHome, createPlainHome, finished, start } from './exai.ts';
import { listedTools } from '../listed-tools.ts';

/** A home with a daemon that stops with the test. */
async function withDaemon(home = createHome()) {
  const daemon = await home.serve();
  return { ...home, daemon };
}

verifies(
  'cli:tools',
  'a call starts the daemon if none runs, and the next one finds it',
  async () => {
    const { exai } = createHome();
    const env = { EXAI_PORT: '0' };
    onTestFinished(async () => void (await exai(['stop'])));
    const first = await exai(['call', 'version'], { env });
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^EX-AI \S+, Node\.js v\d+/);
    const status = JSON.parse((await exai(['status', '--json'])).stdout) as { pid: number };
    expect(await exai(['call', 'version'], { env })).toEqual(first);
    expect(JSON.parse((await exai(['status', '--json'])).stdout)).toMatchObject({
      pid: status.pid,
    });
    expect(await exai(['stop'])).toMatchObject({ code: 0 });

    const none = await exai(['tools'], { env: { EXAI_AUTOSTART: 'false' } });
    expect([none.code, none.stdout]).toEqual([16, '']);
    expect(none.stderr).toContain('exai start');
  },
);

verifies('cli:tools', 'tools are listed by name, and as data with their schemas', async () => {
  const { exai } = await withDaemon();
  const words = await exai(['tools']);
  expect(words.code).toBe(0);
  const names = words.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  const lean = listedTools('lean').map(({ name }) => name);
  expect(names).toEqual(lean.toSorted());
  const { tools } = JSON.parse((await exai(['tools', '--json'])).stdout) as {
    tools: { name: string; inputSchema: { properties: object } }[];
  };
  expect(tools.map(({ name }) => name)).toEqual(names);
  const status = tools.find(({ name }) => name === 'status');
  expect(Object.keys(status?.inputSchema.properties ?? {})).toEqual([
    'tail_lines',
    'include_tools',
    'doctor',
    'probe',
  ]);
  const all = JSON.parse((await exai(['tools', '--all', '--json'])).stdout) as typeof tools &
    object;
  expect(all).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ tier: 'user' })]),
  });
});

verifies('cli:tools', 'a call prints its text, or its unchanged envelope', async () => {
  const { exai, daemon, path } = await withDaemon();
  const status = await exai(['call', 'status']);
  expect([status.code, status.stderr]).toEqual([0, '']);
  expect(status.stdout).toContain(`at ${daemon.url}`);
  const envelope = JSON.parse((await exai(['call', 'health', '--json'])).stdout) as object;
  expect(envelope).toMatchObject({ status: 'success', tool: 'health', content: { ok: true } });

  writeFileSync(path('args.json'), '{"structured": true, "filter": "health"}');
  const found = await exai(['call', 'activity', '--args-file', path('args.json')]);
  expect(JSON.parse(found.stdout)).toMatchObject({ tool: 'health', door: 'unix' });
  const piped = await exai(['call', 'activity', '--args-file', '-'], {
    input: '{"filter": "status"}',
  });
  expect(piped.stdout).toContain('status success');
});

verifies('cli:tools', 'arguments are given as name=value, typed as the tool wants', async () => {
  const { exai } = await withDaemon();
  const contentOf = async (...args: string[]) => {
    const { code, stdout } = await exai(['call', ...args, '--json']);
    return { code, ...(JSON.parse(stdout) as { content?: unknown; detail?: string }) };
  };
  const typed = ['status', 'tail_lines=10', 'include_tools=true'];
  expect(await contentOf(...typed)).toMatchObject({ code: 0 });
  const added = [...typed, '--args', '{"include_tools": false, "tail_lines": "many"}'];
  expect(await contentOf(...added)).toMatchObject({ code: 0 });
  expect(await contentOf('status', 'tail_lines:="ten"')).toMatchObject({ code: 3 });
  const wrong = await exai(['call', 'activity', 'lines=many']);
  expect(wrong).toMatchObject({ code: 3, stdout: '' });
  expect(wrong.stderr).toContain('"lines" must be a whole number, but is "many"');
  expect((await exai(['call', 'status', 'probe'])).stderr).toContain('is not name=value');

  // A client cannot list every tool; its own list has the schemas.
  const token = (await exai(['access', 'add', 'ci', '--scope', 'read:*'])).stdout.trim();
  const asClient = await exai(['call', 'status', 'tail_lines=10'], { env: { EXAI_TOKEN: token } });
  expect(asClient).toMatchObject({ code: 0 });
});

verifies('cli:exit-codes', 'a call exits with the code of what went wrong', async () => {
  // A daemon that requires no token warns of that.
  const { exai } = await withDaemon(createPlainHome());
  const failures: [string[], number, string][] = [
    [['call', 'statsu'], 6, 'did you mean "status"?'],
    [['call', 'status', '--args', '{"probes": true}'], 3, 'did you mean "probe"?'],
    [['call', 'activity', '--args', '{"lines": 1}'], 3, '"lines"'],
    [['call', 'activity', '--args', '{"filter": "("}'], 3, '"filter" is not a regular expression'],
    [['call', 'status', '--args', '{"probe": tru}'], 3, 'line 1, column 11'],
    [['call', 'status', '--args', '[]'], 3, 'must be a JSON object'],
    [
      ['call', 'status', '--timeout', 'soon'],
      3,
      '--timeout must be more than 0 and at most 86400 seconds',
    ],
    [['call', 'status', '--args-file', '/nonexistent'], 6, 'No such file'],
    [['call', 'status', '--args', '{}', '--args-file', '-'], 2, 'two ways for one thing'],
  ];
  for (const [args, code, words] of failures) {
    const failed = await exai(args);
    expect([args, failed.code, failed.stdout]).toEqual([args, code, '']);
    expect(failed.stderr).toContain(words);
  }
  const data = await exai(['call', 'activity', '--args', '{"lines": 1}', '--json']);
  expect([data.code, data.stderr]).toEqual([3, '']);
  expect(JSON.parse(data.stdout)).toMatchObject({ status: 'error', error_class: 'validation' });
  const unknown = await exai(['call', 'statsu', '--json']);
  expect([unknown.code, unknown.stderr]).toEqual([6, '']);
  expect(JSON.parse(unknown.stdout)).toMatchObject({
    status: 'error',
    error_class: 'not_found',
    tool: 'statsu',
    req_id: expect.stringMatching(/^req_/) as string,
    detail: 'There is no tool "statsu", did you mean "status"? Find tools with search_tools.',
  });
  // Errors of callers are not failures of the daemon.
  expect((await exai(['logs', '-n', '1000'])).stdout).toMatch(/info +call_failed .*tool=statsu/);
  const health = (await exai(['call', 'health'])).stdout;
  const problems = health.split('\n').filter((line) => /^\d{4}-.* (?:warn|error) /.test(line));
  // A loaded machine keeps the daemon waiting, which is no failure either.
  expect(problems.filter((line) => !line.includes('event_loop_stalled'))).toEqual([]);
});

verifies(
  'shim:skew',
  'a setting that the daemon lacks is mentioned once, only to a client that has it; a stored one needs a reload',
  async () => {
    const { exai, path } = await withDaemon();
    const env = {
      KIMI_API_KEY: 'sk-0123456789abcdef',
      EXAI_TOKEN: 'another-token-than-the-daemon',
    };
    const notice = /KIMI_API_KEY is set in the environment of a client/g;
    for (const tool of ['status', 'version']) {
      const { stdout, stderr } = await exai(['call', tool], { env });
      expect(`${stdout}${stderr}`.match(notice)).toHaveLength(1);
      expect(`${stdout}${stderr}`).not.toContain('EXAI_TOKEN');
    }
    expect((await exai(['call', 'status'])).stdout).not.toContain('KIMI_API_KEY');
    const before = await exai(['doctor'], {
      env: { KIMI_API_KEY: env.KIMI_API_KEY, KIMI_API_URL: 'http://127.0.0.1:9/v1' },
    });
    expect(before.stdout).toContain(
      'key from KIMI_API_KEY in this shell; the running daemon has another one or none',
    );
    expect(before.stdout).toMatch(/Configuration .*\d settings? from the environment/);
    writeFileSync(path('.env'), `KIMI_API_KEY=${env.KIMI_API_KEY}\n`, { mode: 0o600 });
    expect((await exai(['call', 'version'], { env })).stderr).toContain(
      'It is stored; have the daemon use it: exai config reload',
    );
  },
);

verifies(
  'tools:filter',
  'a hostile filter is refused, and the daemon answers meanwhile',
  async () => {
    const { exai } = await withDaemon();
    await exai(['call', 'version']);
    const args = JSON.stringify({ filter: '^(\\S+\\s?)*~$' });
    const [hostile, other] = await Promise.all([
      exai(['call', 'activity', '--args', args]),
      exai(['call', 'version']),
    ]);
    expect(hostile.code).toBe(3);
    expect(hostile.stderr).toContain('"filter" cannot be searched for');
    expect(other.code).toBe(0);
  },
);

verifies('calls:cancel', 'Ctrl-C cancels the call at the daemon and exits with 130', async () => {
  const { root, path } = createHome();
  const heard: { method?: string; id?: number; params?: { requestId?: number } }[] = [];
  let child: ReturnType<typeof start> | undefined;
  // A daemon whose only tool never ends.
  const server = createServer((socket: Socket) => {
    const say = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as (typeof heard)[number] & { exai?: string };
      if (message.exai === 'hello') {
        return say({ exai: 'welcome', version: '999.0.0', instance: 'i', replay: [], notices: [] });
      }
      heard.push(message);
      if (message.method === 'initialize') {
        say({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2025-11-25' } });
      }
      if (message.method === 'tools/call') child?.kill('SIGINT');
    });
  });
  await new Promise<void>((resolve) => server.listen(path('daemon.sock'), resolve));
  onTestFinished(() => void server.close());
  child = start(root, ['call', 'endless']);
  const result = await finished(child);
  expect(result).toMatchObject({ code: 130, stdout: '' });
  const call = heard.find(({ method }) => method === 'tools/call');
  expect(heard.at(-1)).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: call?.id },
  });
});

verifies(
  'access:explain',
  'clients are added, explained and removed while the daemon runs',
  async () => {
    const { exai, daemon } = await withDaemon();
    expect((await exai(['access', 'list'])).stdout).toContain('No client has a token');
    const scopes = ['--scope', 'read:*', '--scope', 'deny:health'];
    const added = await exai(['access', 'add', 'laptop', ...scopes]);
    expect(added.code).toBe(0);
    expect(added.stdout).toMatch(/^exai_[\w-]{43}\n$/);
    expect(await exai(['access', 'add', 'laptop', ...scopes])).toMatchObject({ code: 7 });

    const explain = async (tool: string) =>
      JSON.parse(
        (await exai(['access', 'explain', tool, '--client', 'laptop', '--json'])).stdout,
      ) as { verdict: string; because: string[] };
    expect(await explain('status')).toMatchObject({ verdict: 'read_only' });
    expect(await explain('health')).toMatchObject({
      verdict: 'deny',
      because: [expect.stringContaining('deny:health')],
    });
    expect((await exai(['access', 'explain', 'status'])).stdout).toContain('local may use status');
    const codes = async (...args: string[]) => (await exai(['access', 'explain', ...args])).code;
    expect(await codes('health', '--client', 'laptop')).toBe(5);
    expect(await codes('health', '--client', 'laptop', '--json')).toBe(5);
    expect(await codes('helth', '--json')).toBe(6);

    const token = added.stdout.trim();
    const readable = listedTools('lean').map(({ name }) => name);
    expect(await toolsOver(daemon.url, token)).toEqual(
      readable.filter((name) => name !== 'call_tool_write').toSorted(),
    );
    expect(await exai(['access', 'remove', 'laptop'])).toMatchObject({ code: 0 });
    expect(await toolsOver(daemon.url, token)).toBe('refused');
    expect(await exai(['access', 'remove', 'laptop'])).toMatchObject({ code: 6 });
    expect((await exai(['access', 'list'])).stdout).toContain('No client has a token');
    expect((await exai(['access', 'list', '--all'])).stdout).toMatch(/^laptop .* removed 20/);
    const slip = await exai(['access', 'add', 'ci', '--scope', 'statsu']);
    expect([slip.code, slip.stderr]).toEqual([
      0,
      expect.stringContaining('did you mean "status"?'),
    ]);

    const log = (await exai(['logs', '-n', '1000'])).stdout;
    expect(log).not.toContain(token);
    for (const event of ['client_added name=laptop', 'client_removed name=laptop']) {
      expect(log).toContain(event);
    }
    expect(log).toMatch(/warn +ws_refused .*Invalid token/);
  },
);

verifies('access:tokens', 'access can be managed by the owner of the machine alone', async () => {
  const { daemon } = await withDaemon();
  const answer = await askOver(daemon.url, undefined, 'exai/access/list', {});
  expect(answer).toMatchObject({ error: { code: -32601 } });
});

/** The names of the tools that a client with this token sees over a WebSocket. */
async function toolsOver(url: string, token: string): Promise<string[] | 'refused'> {
  const answer = await askOver(url, token, 'tools/list', {});
  const { tools } = (answer['result'] ?? {}) as { tools?: { name: string }[] };
  return tools?.map(({ name }) => name) ?? 'refused';
}

function askOver(
  url: string,
  token: string | undefined,
  method: string,
  params: object,
): Promise<Record<string, unknown>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace('http', 'ws'), 'mcp', { headers });
  const clientInfo = { name: 'test', version: '0' };
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const say = (message: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return new Promise((resolve) => {
    socket.on('open', () => say({ id: 1, method: 'initialize', params: opening }));
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Record<string, unknown>;
      if (message['id'] === 1 && 'result' in message) {
        say({ method: 'notifications/initialized' });
        say({ id: 2, method, params });
      } else if ('id' in message) {
        resolve(message);
        socket.close();
      }
    });
    socket.on('error', () => resolve({}));
    socket.on('close', () => resolve({}));
  });
}
