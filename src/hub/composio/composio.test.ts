import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  openComposioHarness,
  readTexts,
  useComposioEmulator,
} from '../../../test/composio-harness.ts';

const it = useComposioEmulator();
const PAGE = 'COMPOSIO_SEARCH_FETCH_URL_CONTENT';
const pageOf = (bytes: number) => ({ urls: [`https://a.example/?bytes=${bytes}`] });
const paths = () => it.emulator.requests({ vendor: 'composio' }).map(({ path }) => path);
const set = (name: string, value: unknown) => {
  const switches = it.emulator.switches['composio'];
  if (switches) switches[name] = value;
};

verifies('composio:session', 'its server is that of a session of the user', async () => {
  const { upstream } = await openComposioHarness(it.emulator);
  const [first] = it.emulator.requests({ vendor: 'composio' });
  expect(first).toMatchObject({
    method: 'POST',
    path: '/composio/api/v3/tool_router/session',
    body: { user_id: 'pg-1' },
    headers: { 'x-api-key': '…test' },
  });
  expect(upstream.state().is).toBe('connected');
  const names = upstream.tools()?.map(({ name }) => name) ?? [];
  expect(names).toContain('COMPOSIO_MULTI_EXECUTE_TOOL');
  expect(names).toContain('GMAIL_SEND_EMAIL');
  // Its account is not connected.
  expect(names).not.toContain('NOTION_CREATE_NOTION_PAGE');
});

verifies('composio:session', 'a session that has ended is made again within the call', async () => {
  const { run } = await openComposioHarness(it.emulator);
  for (const path of ['/execute', '/mcp']) {
    it.emulator.fault({ id: 'F17.session', vendor: 'composio', path });
    const slug = path === '/mcp' ? 'COMPOSIO_GET_TOOL_SCHEMAS' : 'COMPOSIO_SEARCH_WEB';
    const args = path === '/mcp' ? { tool_slugs: ['GMAIL_SEND_EMAIL'] } : { query: 'tides' };
    expect((await run(slug, args)).outer.successful).toBe(true);
  }
  const made = paths().filter((path) => path.endsWith('/tool_router/session'));
  expect(made).toHaveLength(3);
});

verifies(
  'composio:tools',
  'lists are read page by page, and hundreds of tools are listed',
  async () => {
    set('furtherTools', 600);
    set('connected', 'airtable,asana,hubspot,jira,linear,stripe,trello,zendesk,airtable2,gmail');
    const { upstream } = await openComposioHarness(it.emulator);
    expect(upstream.tools()?.length).toBeGreaterThan(600);
  },
);

verifies(
  'composio:tools',
  'a tool that is not listed is called by its name and then listed',
  async () => {
    set('furtherTools', 20);
    const { run, registry, upstream } = await openComposioHarness(it.emulator);
    expect(upstream.tools()?.some(({ name }) => name === 'AIRTABLE_GET_ACCOUNT')).toBe(false);
    expect(registry.find('mcp__composio__AIRTABLE_GET_ACCOUNT')?.annotations.readOnlyHint).toBe(
      false,
    );
    const { outer, notes } = await run('AIRTABLE_GET_ACCOUNT', { id: '7' });
    expect(outer.successful).toBe(false);
    expect(notes.join()).toContain('The account for airtable is not connected');
    const wrong = await run('AIRTABLE_GET_ACCOUNT', { id: 7 });
    expect(wrong.result.error).toMatchObject({ class: 'validation', field: 'id' });
    const none = await run('NOBODY_DOES_THIS', {});
    expect(none.result.error?.class).toBe('not_found');
    await upstream.connect();
    expect(registry.find('mcp__composio__AIRTABLE_GET_ACCOUNT')?.annotations.readOnlyHint).toBe(
      true,
    );
  },
);

describe("the seed's names of arguments", () => {
  verifies('composio:names', 'mails, messages and searches have them', async () => {
    const { run } = await openComposioHarness(it.emulator);
    const mail = { to: ['ann@example.com', 'bob@example.com'], subject: 'Hi', body: 'Hello' };
    expect((await run('GMAIL_SEND_EMAIL', mail)).outer.data.labelIds).toEqual(['SENT']);
    const said = { channel: 'general', text: 'Hello' };
    expect((await run('SLACK_SEND_MESSAGE', said)).outer.data.message.text).toBe('Hello');
    const news = await run('COMPOSIO_SEARCH_NEWS', { query: 'solar', num_results: 3 });
    expect(news.outer.data.news_results).toHaveLength(3);
    set('resultLists', 'indexed');
    set('resultPlace', 'results');
    const indexed = await run('COMPOSIO_SEARCH_NEWS', { query: 'solar', num_results: 2 });
    expect(Object.keys(indexed.outer.data.results.news_results as object)).toHaveLength(2);
    const batch = await run('COMPOSIO_MULTI_EXECUTE_TOOL', {
      tools: [{ slug: 'GMAIL_SEND_EMAIL', params: { to: 'ann@example.com', body: 'Hi' } }],
    });
    expect(batch.outer).toMatchObject({ successful: true, data: { success_count: 1 } });
    expect(it.emulator.requests({ vendor: 'composio' }).map(({ body }) => body)).toContainEqual({
      tool_slug: 'GMAIL_SEND_EMAIL',
      arguments: {
        recipient_email: 'ann@example.com',
        extra_recipients: ['bob@example.com'],
        subject: 'Hi',
        body: 'Hello',
      },
    });
  });

  verifies(
    'composio:names',
    'an attachment is the key of an upload, in any of its forms',
    async () => {
      const { run } = await openComposioHarness(it.emulator);
      const sent = async (attachments: unknown) => {
        await run('GMAIL_SEND_EMAIL', { to: 'ann@example.com', body: 'Hi', attachments });
        const body = it.emulator
          .requests({ vendor: 'composio' })
          .findLast(({ path }) => path.endsWith('/execute'))?.body as {
          arguments: { attachment?: object };
        };
        return body.arguments.attachment;
      };
      const wanted = { name: 'report.pdf', mimetype: 'application/pdf', s3key: 'user/report.pdf' };
      expect(await sent(['user/report.pdf'])).toEqual(wanted);
      const uploaded = {
        s3_key: 'user/report.pdf',
        s3_url: 'https://s3',
        local_path: '/a/report.pdf',
      };
      expect(await sent(uploaded)).toEqual(wanted);
      expect(await sent(wanted)).toEqual(wanted);
      const two = await run('GMAIL_SEND_EMAIL', { to: 'a@example.com', attachments: ['a', 'b'] });
      expect(two.result.error).toMatchObject({ class: 'validation', field: 'attachments' });
    },
  );

  verifies('composio:names', 'a mistyped name is refused with the one that is meant', async () => {
    const { run } = await openComposioHarness(it.emulator);
    const mail = { recipient_emial: 'ann@example.com', body: 'Hi' };
    const { result } = await run('GMAIL_SEND_EMAIL', mail);
    expect(result.error).toMatchObject({ class: 'validation', field: 'recipient_emial' });
    expect(result.error?.message).toContain('did you mean "recipient_email"?');
  });

  verifies('composio:names', 'files are written and read in one sandbox', async () => {
    const { run } = await openComposioHarness(it.emulator);
    const file = { file_path: '/home/user/a.md', content: '# 题' };
    expect((await run('CODEINTERPRETER_WRITE_FILE_CMD', file)).outer.successful).toBe(true);
    const read = await run('CODEINTERPRETER_GET_FILE_CMD', { file_path: '/home/user/a.md' });
    expect(read.outer.data.content).toBe('# 题');
    const created = it.emulator
      .requests({ vendor: 'composio' })
      .filter(({ body }) => JSON.stringify(body ?? '').includes('CREATE_SANDBOX'));
    expect(created).toHaveLength(1);
  });
});

describe('answers', () => {
  verifies('composio:errors', 'a failure is a tool error, and the vendor is heard', async () => {
    const { run } = await openComposioHarness(it.emulator);
    it.emulator.fault({ id: 'F17.unsuccessful', vendor: 'composio', path: '/execute' });
    const failed = await run('COMPOSIO_SEARCH_WEB', { query: 'tides' });
    expect(failed.result.error?.class).toBe('tool_error');
    expect(failed.outer).toMatchObject({ successful: false, error: expect.any(String) as string });
    it.emulator.fault({ id: 'F17.workbench', vendor: 'composio', path: '/mcp' });
    const late = await run('COMPOSIO_REMOTE_WORKBENCH', { code_to_execute: 'print(1)' });
    expect([late.result.error?.class, late.outer.error]).toEqual([
      'tool_error',
      'Execution timed out after 180 seconds',
    ]);
    it.emulator.fault({ id: 'F1', vendor: 'composio', path: '/execute' });
    const limited = await run('COMPOSIO_SEARCH_WEB', { query: 'tides' });
    expect(limited.result.error).toMatchObject({ class: 'rate_limit', retryAfterMs: 1_000 });
  });

  verifies('composio:errors', 'a failure to find accounts replaces no answer', async () => {
    const { run } = await openComposioHarness(it.emulator);
    const search = { tool_slug: 'COMPOSIO_SEARCH_WEB', arguments: { query: 'a' } };
    const page = { tool_slug: 'NOTION_CREATE_NOTION_PAGE', arguments: { title: 't' } };
    const executed = () => paths().filter((path) => path.endsWith('/execute')).length;
    await run(page.tool_slug, { parent_id: 'p', title: 't' });
    for (const id of ['F3', 'F17.session']) {
      it.emulator.fault({ id, vendor: 'composio', path: '/toolkits' });
      const half = await run('COMPOSIO_MULTI_EXECUTE_TOOL', { tools: [search, page] });
      expect(half.outer.data.results[0].response.data.citations).toHaveLength(8);
      expect(half.notes.join()).toContain('1 of 2 tools succeeded.');
      it.emulator.fault({ id, vendor: 'composio', path: '/toolkits' });
      const before = executed();
      const one = await run(page.tool_slug, { parent_id: 'p', title: 't' });
      expect(one.outer.error).toContain('No active connection');
      expect(executed()).toBe(before + 1);
    }
  });

  verifies('composio:errors', 'a batch that half fails keeps its good items', async () => {
    const { run } = await openComposioHarness(it.emulator);
    const search = { tool_slug: 'COMPOSIO_SEARCH_WEB', arguments: { query: 'a' } };
    const page = { tool_slug: 'NOTION_CREATE_NOTION_PAGE', arguments: {} };
    const half = await run('COMPOSIO_MULTI_EXECUTE_TOOL', { tools: [search, page] });
    expect(half.result.error).toBeUndefined();
    expect(half.outer.data.results[0].response.data.citations).toHaveLength(8);
    expect(half.notes.join('\n')).toContain('1 of 2 tools succeeded.');
    expect(half.notes.join('\n')).toContain('1. NOTION_CREATE_NOTION_PAGE failed: No active');
    expect(half.notes.at(-1)).toMatch(/notion is not connected\. The user must open http/);
    const none = await run('COMPOSIO_MULTI_EXECUTE_TOOL', { tools: [page] });
    expect(none.result.error?.class).toBe('tool_error');
  });

  verifies(
    'composio:large',
    'what the vendor offloads comes inline, also in small pieces',
    async () => {
      set('offloadThreshold', 'fixed');
      const { run } = await openComposioHarness(it.emulator);
      const tools = [{ tool_slug: PAGE, arguments: pageOf(100_000) }];
      for (const form of ['object', 'text']) {
        set('innerResponse', form);
        const { outer, notes } = await run('COMPOSIO_MULTI_EXECUTE_TOOL', { tools });
        const [{ response }] = outer.data.results;
        expect(response.data.results[0].content).toHaveLength(100_000);
        expect(response).not.toHaveProperty('data_preview');
        expect(notes).toEqual([]);
      }
    },
  );

  verifies('composio:large', 'more than 5 MB of it stays remote, with its path', async () => {
    const { run } = await openComposioHarness(it.emulator);
    const tools = [{ tool_slug: PAGE, arguments: pageOf(6_000_000) }];
    const { outer, notes } = await run('COMPOSIO_MULTI_EXECUTE_TOOL', { tools });
    const [{ response }] = outer.data.results;
    expect(response.size_bytes).toBeGreaterThan(6_000_000);
    expect(notes[0]).toContain(response.remote_path);
    expect(notes[0]).toContain('only its beginning');
  });

  verifies(
    'composio:large',
    'a direct answer of 6 MB comes whole, one of 60 MB stays remote',
    async () => {
      const { run } = await openComposioHarness(it.emulator);
      const whole = await run(PAGE, pageOf(6_000_000));
      expect(whole.outer.data.results[0].content).toHaveLength(6_000_000);
      const { outer, notes } = await run(PAGE, pageOf(60_000_000));
      expect(outer.data.size_bytes).toBeGreaterThan(60_000_000);
      expect(notes[0]).toContain(outer.data.remote_path);
    },
  );

  verifies(
    'composio:large',
    'a tool that changes something is not run twice for its answer',
    async () => {
      const { run } = await openComposioHarness(it.emulator, { maxMessageBytes: 65_536 });
      const title = 'x'.repeat(70_000);
      const issue = { owner: 'a', repo: 'b', title };
      const { result } = await run('GITHUB_CREATE_AN_ISSUE', issue);
      expect(result.error?.class).toBe('too_large');
      expect(result.error?.fix).toContain('sync_response_to_workbench');
      expect(paths().filter((path) => path.endsWith('/execute_meta'))).toEqual([]);
    },
  );
});

describe('accounts that are not connected', () => {
  const NOTION = { parent_id: 'p', title: 't' };

  verifies(
    'composio:accounts',
    'the user gets a link, and the tool is not run again blindly',
    async () => {
      const { run } = await openComposioHarness(it.emulator);
      const { result, outer, notes } = await run('NOTION_CREATE_NOTION_PAGE', NOTION);
      expect(result.error?.class).toBe('tool_error');
      expect(notes[0]).toContain(outer.data.redirect_url);
      expect(paths().filter((path) => path.endsWith('/execute'))).toHaveLength(1);
      await fetch(outer.data.redirect_url as string);
      expect((await run('NOTION_CREATE_NOTION_PAGE', NOTION)).outer.successful).toBe(true);
    },
  );

  verifies(
    'composio:accounts',
    'a client that opens links is asked to, and the call continues',
    async () => {
      const { run, answer, clock } = await openComposioHarness(it.emulator);
      const abilities = { clientCapabilities: ['visit'] } as const;
      const asked = await run('NOTION_CREATE_NOTION_PAGE', NOTION, abilities);
      const [[name, request] = ['', undefined]] = Object.entries(
        asked.result.inputRequired?.questions ?? {},
      );
      const url = request?.is === 'visit' ? request.url : '';
      expect(url).toContain('/link/');
      const continued = answer('mcp__composio__NOTION_CREATE_NOTION_PAGE', NOTION, {
        ...abilities,
        answers: { [name]: { action: 'accept' } },
        state: asked.result.inputRequired?.state ?? '',
      });
      const looked = () => paths().filter((path) => path.includes('/connected_accounts/')).length;
      await expect.poll(looked).toBe(1);
      await fetch(url);
      await expect
        .poll(() => {
          clock.advance(2_000);
          return looked();
        })
        .toBe(2);
      expect(readTexts(await continued).outer.successful).toBe(true);
    },
  );
});

test('Composio that is down, refuses the key or is too slow is a typed error', async () => {
  const down = await openComposioHarness(it.emulator, { config: { url: 'http://127.0.0.1:9' } });
  const state = down.upstream.state();
  expect(state).toMatchObject({ is: 'waiting', because: { code: 'server_not_reached' } });
  const wrong = await openComposioHarness(it.emulator, {
    config: { headers: { 'x-api-key': 'wrong' } },
  });
  expect(wrong.upstream.state()).toMatchObject({ because: { code: 'composio_key_refused' } });
  const { run, clock } = await openComposioHarness(it.emulator);
  it.emulator.fault({ id: 'F5.silent', vendor: 'composio', path: '/execute' });
  const slow = run('COMPOSIO_SEARCH_WEB', { query: 'tides' });
  await expect.poll(() => paths().some((path) => path.endsWith('/execute'))).toBe(true);
  clock.advance(300_000);
  expect((await slow).result.error?.class).toBe('timeout');
});

const SCORER = join(import.meta.dirname, '../../../../shared/composio/score-composio.mjs');

test.skipIf(!existsSync(SCORER))('its requests are those of the public interface', async () => {
  const { run } = await openComposioHarness(it.emulator);
  await run('GMAIL_SEND_EMAIL', { to: 'ann@example.com', body: 'Hi' });
  await run('NOTION_CREATE_NOTION_PAGE', { parent_id: 'p', title: 't' });
  await run('AIRTABLE_GET_ACCOUNT', {});
  await run('COMPOSIO_MULTI_EXECUTE_TOOL', {
    tools: [{ tool_slug: PAGE, arguments: pageOf(6_000_000) }],
  });
  const folder = mkdtempSync(join(tmpdir(), 'exai-composio-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const requests = it.emulator
    .requests({ vendor: 'composio' })
    .filter(({ path }) => path.includes('/api/'))
    .map(({ method, path, headers, body }) => ({
      method,
      headers,
      body,
      path: path.replace('/composio', ''),
    }));
  const file = join(folder, 'requests.json');
  writeFileSync(file, JSON.stringify(requests));
  const said = execFileSync(process.execPath, [SCORER, file]).toString();
  expect(JSON.parse(said.trim().split('\n').at(-1) ?? '')).toMatchObject({ share: 1 });
});
