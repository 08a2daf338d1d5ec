import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { useEmulator, type Answered, type Loose } from '../client.fixture.ts';
import { verifies } from '../emulator.fixture.ts';
import { createComposio } from './composio.ts';

const V3 = '/composio/api/v3';
const KEY = { 'x-api-key': 'ak_test' };
const composio = useEmulator(() => [createComposio()], KEY);

async function newSession(more: object = {}): Promise<{ id: string; at: string; mcp: string }> {
  const { json } = await composio.post(`${V3}/tool_router/session`, { user_id: 'pg-1', ...more });
  const mcp = new URL(json.mcp.url as string).pathname;
  return { id: json.session_id, at: `${V3}/tool_router/session/${json.session_id}`, mcp };
}

async function call(mcp: string, name: string, args: object): Promise<Loose> {
  const params = { name, arguments: args };
  const { json } = await composio.post(mcp, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params,
  });
  return json.error ?? JSON.parse(json.result.content[0].text as string);
}

const batch = (mcp: string, tools: readonly object[], more: object = {}): Promise<Loose> =>
  call(mcp, 'COMPOSIO_MULTI_EXECUTE_TOOL', { tools, sync_response_to_workbench: false, ...more });

verifies('facts:composio:paths', 'both versions of the interface answer', async () => {
  for (const version of ['v3', 'v3.1']) {
    const made = await composio.post(`/composio/api/${version}/tool_router/session`, {
      user_id: 'pg-1',
    });
    expect(made.status).toBe(201);
  }
  expect((await composio.get('/composio/api/v2/tools')).status).toBe(404);
});

verifies('facts:composio:errors', 'an error has message, code, status and request id', async () => {
  const wrong = await composio.get(`${V3}/tools`, { 'x-api-key': 'wrong' });
  expect(wrong.status).toBe(401);
  expect(wrong.json.error).toMatchObject({ status: 401, message: 'Invalid API key' });
  expect(wrong.json.error.request_id).toEqual(expect.any(String));
  expect(wrong.json.error.code).toEqual(expect.any(Number));
  const missing = await composio.get(`${V3}/tools/NOBODY_DOES_THIS`);
  expect([missing.status, missing.json.error.status]).toEqual([404, 404]);
  const limited = await composio.get(`${V3}/tools`, { 'x-emulate-fault': 'F1;seconds=2' });
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
});

verifies(
  'facts:composio:session',
  'a session is made with enable and tells enabled, with the address of its MCP server',
  async () => {
    const made = await composio.post(`${V3}/tool_router/session`, {
      user_id: 'pg-1',
      toolkits: { enable: ['gmail'] },
      workbench: { auto_offload_threshold: 100 },
    });
    expect(made.json).toMatchObject({
      mcp: { type: 'http' },
      config: { user_id: 'pg-1', toolkits: { enabled: ['gmail'] } },
    });
    expect(made.json.tool_router_tools).toContain('COMPOSIO_MULTI_EXECUTE_TOOL');
    const again = await composio.get(`${V3}/tool_router/session/${made.json.session_id}`);
    expect(again.json.session_id).toBe(made.json.session_id);
    expect((await composio.post(`${V3}/tool_router/session`, {})).status).toBe(400);
    expect((await composio.get(`${V3}/tool_router/session/trs_gone`)).status).toBe(404);
  },
);

verifies('facts:composio:mcp', 'MCP lists the meta tools alone, and 404 means gone', async () => {
  const { mcp } = await newSession();
  const rpc = (method: string, headers = {}): Promise<Answered> =>
    composio.post(mcp, { jsonrpc: '2.0', id: 1, method, params: {} }, headers);
  expect((await rpc('initialize')).json.result.serverInfo.name).toBe('tool_router');
  const { tools } = (await rpc('tools/list')).json.result;
  expect(tools.map(({ name }: Loose) => name)).toHaveLength(6);
  expect((await call(mcp, 'GMAIL_SEND_EMAIL', {})).message).toContain('not found');
  expect((await rpc('tools/list', { 'x-emulate-fault': 'F17.session' })).status).toBe(404);
  expect((await composio.send('GET', mcp)).status).toBe(405);
});

verifies(
  'facts:composio:executions',
  'a direct execution tells successful, one in a session does not, and both answer 200',
  async () => {
    const { at } = await newSession();
    const args = { recipient_email: 'ann@example.com', subject: 'Hi' };
    const body = { user_id: 'pg-1', arguments: args };
    const direct = await composio.post(`${V3}/tools/execute/GMAIL_SEND_EMAIL`, body);
    expect(direct.json).toMatchObject({ successful: true, error: null, session_info: null });
    const inside = await composio.post(`${at}/execute`, {
      tool_slug: 'GMAIL_SEND_EMAIL',
      arguments: args,
    });
    expect(Object.keys(inside.json as object)).toEqual(['data', 'error', 'log_id']);
    expect(inside.json.data.labelIds).toEqual(['SENT']);
    const refused = await composio.post(`${V3}/tools/execute/GMAIL_SEND_EMAIL`, body, {
      'x-emulate-fault': 'F17.unsuccessful',
    });
    expect([refused.status, refused.json.successful]).toEqual([200, false]);
    const meta = await composio.post(`${at}/execute_meta`, {
      slug: 'COMPOSIO_GET_TOOL_SCHEMAS',
      arguments: { tool_slugs: ['GMAIL_SEND_EMAIL', 'NONE'] },
    });
    expect(meta.json.data.not_found).toEqual(['NONE']);
  },
);

verifies(
  'facts:composio:gmail',
  'a mail needs a recipient and a subject or body, and other names are ignored',
  async () => {
    const { at } = await newSession();
    const send = async (args: object): Promise<Loose> =>
      (await composio.post(`${at}/execute`, { tool_slug: 'GMAIL_SEND_EMAIL', arguments: args }))
        .json;
    expect((await send({ to: 'ann@example.com', subject: 'Hi' })).error).toContain(
      'recipient_email',
    );
    expect((await send({ recipient_email: 'ann@example.com' })).error).toContain('subject or body');
    expect((await send({ cc: ['ann@example.com'], body: 'Hi' })).error).toBeNull();
    const list = { recipient_email: 'a@example.com', body: 'Hi', attachment: [] };
    expect((await send(list)).error).toContain('attachment');
  },
);

verifies(
  'facts:composio:batch',
  'items have a response or an error, in order and counted from 0; one failure fails the batch',
  async () => {
    const { mcp } = await newSession();
    const send = { tool_slug: 'COMPOSIO_SEARCH_WEB', arguments: { query: 'a' } };
    const done = await batch(mcp, [send]);
    expect(done).toMatchObject({ successful: true, error: null, data: { success_count: 1 } });
    const half = await batch(mcp, [
      send,
      { tool_slug: 'NOTION_CREATE_NOTION_PAGE', arguments: {} },
    ]);
    expect(half).toMatchObject({ successful: false, error: '1 out of 2 tools failed' });
    const [good, bad] = half.data.results as Loose[];
    expect([good.index, bad.index]).toEqual([0, 1]);
    expect(good).not.toHaveProperty('error');
    expect(bad).not.toHaveProperty('response');
    expect(bad.error).toBe("No active connection found for toolkit(s) 'notion' in this session");
    const many = Array.from({ length: 51 }, () => send);
    expect((await batch(mcp, many)).successful).toBe(false);
    const named = await batch(mcp, [send], { session_id: 'anything' });
    expect(named.data.session.id).toBe('anything');
    composio.emulator.fault({ id: 'F22', vendor: 'composio', path: '/mcp' });
    expect((await batch(mcp, [send, send, send])).data).toMatchObject({
      error_count: 1,
      success_count: 2,
    });
  },
);

verifies(
  'facts:composio:offload',
  'a long answer, or one that is to be, is a file of the workbench with a preview',
  async () => {
    const { mcp } = await newSession();
    const page = (bytes: number) => ({
      tool_slug: 'COMPOSIO_SEARCH_FETCH_URL_CONTENT',
      arguments: { urls: [`https://a.example/?bytes=${bytes}`] },
    });
    const [short] = (await batch(mcp, [page(1_000)])).data.results as Loose[];
    expect(short.response.data.results[0].content).toHaveLength(1_000);
    const [long] = (await batch(mcp, [page(30_000)])).data.results as Loose[];
    expect(long.response).not.toHaveProperty('data');
    const { file_path: path, size_bytes: size } = long.response.remote_file_info;
    expect(size).toBeGreaterThan(30_000);
    const read = await call(mcp, 'COMPOSIO_REMOTE_BASH_TOOL', {
      command: `tail -c +1 '${path}' | head -c 20 | base64`,
    });
    expect(Buffer.from(read.data.stdout as string, 'base64').toString()).toMatch(/^\{"results":/);
    const [synced] = (await batch(mcp, [page(100)], { sync_response_to_workbench: true })).data
      .results as Loose[];
    expect(synced.response.remote_file_info.file_path).toMatch(/^\/mnt\/files\//);
  },
);

verifies('facts:composio:connections', 'a link connects an account when it is opened', async () => {
  const { mcp, at } = await newSession();
  const page = {
    tool_slug: 'NOTION_CREATE_NOTION_PAGE',
    arguments: { parent_id: 'p', title: 't' },
  };
  expect((await batch(mcp, [page])).successful).toBe(false);
  const wanted = await call(mcp, 'COMPOSIO_MANAGE_CONNECTIONS', { toolkits: ['notion'] });
  const { status, redirect_url: url } = wanted.data.results.notion;
  expect(status).toBe('initiated');
  const linked = await composio.post(`${at}/link`, { toolkit: 'notion' });
  expect(linked.status).toBe(201);
  const account = `${V3}/connected_accounts/${linked.json.connected_account_id}`;
  expect((await composio.get(account)).json.status).toBe('INITIATED');
  await fetch(url as string);
  expect((await batch(mcp, [page])).successful).toBe(true);
  const again = await call(mcp, 'COMPOSIO_MANAGE_CONNECTIONS', { toolkits: ['notion'] });
  expect(again.data.results.notion.status).toBe('active');
});

verifies(
  'facts:composio:accounts',
  'the toolkits of a session tell what is connected',
  async () => {
    const { at } = await newSession();
    const { items } = (await composio.get(`${at}/toolkits?toolkits=gmail,notion`)).json;
    const [gmail, notion] = items as Loose[];
    expect(gmail.connected_account.status).toBe('ACTIVE');
    expect(notion.connected_account).toBeNull();
    const connected = (await composio.get(`${at}/toolkits?is_connected=true`)).json;
    expect(connected.items.map(({ slug }: Loose) => slug)).toEqual(['gmail', 'slack', 'github']);
  },
);

verifies('facts:composio:lists', 'lists of tools come in pages with a cursor', async () => {
  composio.emulator.switches['composio']!['furtherTools'] = 600;
  const slugs = new Set<string>();
  let cursor = '';
  for (let pages = 0; pages < 10; pages += 1) {
    const { json } = await composio.get(`${V3}/tools?limit=200${cursor}`);
    for (const { slug } of json.items) slugs.add(slug);
    if (json.next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(json.next_cursor as string)}`;
  }
  expect(slugs.size).toBeGreaterThan(600);
  const gmail = await composio.get(`${V3}/tools?toolkit_slug=gmail`);
  expect(gmail.json.items[0]).toMatchObject({ toolkit: { slug: 'gmail' }, no_auth: false });
});

verifies('facts:composio:files', 'bytes are written to a signed address that expires', async () => {
  const data = Buffer.from('a,b\n1,2\n');
  const md5 = createHash('md5').update(data).digest('hex');
  const about = {
    toolkit_slug: 'gmail',
    tool_slug: 'GMAIL_SEND_EMAIL',
    filename: 'a.csv',
    mimetype: 'text/csv',
    md5,
  };
  const { json } = await composio.post(`${V3}/files/upload/request`, about);
  expect(json).toMatchObject({ type: 'new', metadata: { storage_backend: 's3' } });
  expect(json.key).toBe(`215406/gmail/GMAIL_SEND_EMAIL/request/${md5}`);
  const put = (url: string, type = 'text/csv') =>
    fetch(url, { method: 'PUT', body: data, headers: { 'content-type': type } });
  expect((await put(json.new_presigned_url as string, 'text/plain')).status).toBe(403);
  expect((await put(json.new_presigned_url as string)).status).toBe(200);
  composio.now += 3_700_000;
  expect((await put(json.new_presigned_url as string)).status).toBe(403);
  expect((await composio.get(`${V3}/files/list`)).json.total_items).toBe(1);
  const { at } = await newSession();
  const mail = {
    recipient_email: 'ann@example.com',
    body: 'Hi',
    attachment: { name: 'a.csv', mimetype: 'text/csv', s3key: json.key },
  };
  const sent = (slug: string, args: object): Promise<Answered> =>
    composio.post(`${at}/execute`, { tool_slug: slug, arguments: args });
  expect((await sent('GMAIL_SEND_EMAIL', mail)).json.error).toBeNull();
});

verifies(
  'facts:composio:sandboxes',
  'the workbench and the sandboxes of the code interpreter have different files',
  async () => {
    const { mcp, at } = await newSession();
    const run = async (slug: string, args: object): Promise<Loose> =>
      (await composio.post(`${at}/execute`, { tool_slug: slug, arguments: args })).json;
    const code =
      "path = '/home/user/a.txt'\nwith open(path, 'w') as f:\n    f.write('hello')\nprint('done')";
    const wrote = await call(mcp, 'COMPOSIO_REMOTE_WORKBENCH', { code_to_execute: code });
    expect(wrote.data.stdout).toBe('done\n');
    const cat = await call(mcp, 'COMPOSIO_REMOTE_BASH_TOOL', { command: 'cat /home/user/a.txt' });
    expect(cat.data.stdout).toBe('hello');
    const { sandbox_id: sandbox } = (await run('CODEINTERPRETER_CREATE_SANDBOX', {})).data;
    const get = { file_path: '/home/user/a.txt', sandbox_id: sandbox };
    expect((await run('CODEINTERPRETER_GET_FILE_CMD', get)).error).toContain('not found');
    const upload = {
      destination_path: '/home/user/a.txt',
      file: { name: 'a.txt', content: Buffer.from('other').toString('base64') },
      sandbox_id: sandbox,
    };
    expect((await run('CODEINTERPRETER_UPLOAD_FILE_CMD', upload)).error).toBeNull();
    expect((await run('CODEINTERPRETER_GET_FILE_CMD', get)).data.content).toBe('other');
    expect((await run('CODEINTERPRETER_GET_FILE_CMD', { file_path: 'a' })).error).toContain(
      'sandbox_id',
    );
    const late = await call(mcp, 'COMPOSIO_REMOTE_WORKBENCH', {
      code_to_execute: 'import time\ntime.sleep(181)',
    });
    expect(late).toMatchObject({ successful: false });
    expect(late.error).toContain('180 seconds');
  },
);

verifies(
  'facts:composio:search-answers',
  'results of searches are a list or an object, in data or in data.results',
  async () => {
    const { at } = await newSession();
    const news = async (): Promise<Loose> =>
      (
        await composio.post(`${at}/execute`, {
          tool_slug: 'COMPOSIO_SEARCH_NEWS',
          arguments: { query: 'solar' },
        })
      ).json.data;
    expect((await news()).news_results).toHaveLength(10);
    composio.emulator.switches['composio']!['resultLists'] = 'indexed';
    composio.emulator.switches['composio']!['resultPlace'] = 'results';
    expect((await news()).results.news_results['9'].link).toContain('solar');
  },
);

test('the search of a session names the tools that fit, with the state of their connections', async () => {
  const { at } = await newSession();
  const { json } = await composio.post(`${at}/search`, {
    queries: [{ use_case: 'send an email through gmail' }],
  });
  expect(json.results[0].primary_tool_slugs).toContain('GMAIL_SEND_EMAIL');
  expect(json.toolkit_connection_statuses).toContainEqual(
    expect.objectContaining({ toolkit: 'gmail', has_active_connection: true }),
  );
  expect(json.success).toBe(true);
});
