import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TASKS_EXTENSION } from '#mcp/client-capabilities.ts';
import {
  openClient,
  TOOL_TRANSPORTS,
  type Called,
  type ToolClient,
  type ToolTransport,
} from '../cases/tools-client.ts';
import { prepareFolders } from '../cases/tools-expert-files.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { TOOL_CASES } from '../cases/tools-suite.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';
import { exaiIn, fetchResult } from './job-helpers.ts';
import { createPeer } from './matrix/peer.ts';
import { overWs } from './matrix/ws-peer.ts';

const WRITING = new Set(['threads', 'job_cancel']);
const NEVER_ANSWERS = { firstMs: 600_000 };

let harness: ToolsHarness;
const clients = new Map<ToolTransport, ToolClient>();

beforeAll(async () => {
  harness = await openToolsHarness();
  prepareFolders(harness);
  for (const transport of TOOL_TRANSPORTS) {
    clients.set(transport, await openClient(harness, transport));
  }
});

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await harness.close();
});

function clientBy(transport: ToolTransport): ToolClient {
  const client = clients.get(transport);
  if (!client) throw new Error(`No client by ${transport}`);
  return client;
}

/** A client that calls every tool through its wrapper, every second one with JSON text. */
/** The next call is named through the wrapper, as the client has to make it. */
function withInnerNextCall(content: Called['content']): Called['content'] {
  const next = content['next_call'] as NextCall | undefined;
  if (next === undefined) return content;
  expect(next.tool).toMatch(/^call_tool(?:_write)?$/);
  const { name, arguments: args } = next.arguments;
  return { ...content, next_call: { ...next, tool: name, arguments: args } };
}

interface NextCall {
  readonly tool: string;
  readonly arguments: { readonly name: string; readonly arguments: object };
}

function throughWrappers(client: ToolClient): ToolClient {
  let count = 0;
  const wrapped = (name: string, args: object): [string, object] => {
    count += 1;
    const given = count % 2 === 0 ? JSON.stringify(args) : args;
    return [WRITING.has(name) ? 'call_tool_write' : 'call_tool', { name, arguments: given }];
  };
  return {
    ...client,
    async call(tool, args) {
      const called = await client.call(...wrapped(tool, args));
      return { ...called, content: withInnerNextCall(called.content) };
    },
    begin: (tool, args) => client.begin(...wrapped(tool, args)),
  };
}

interface ActivityRow {
  readonly req_id: string;
  readonly tool: string;
  readonly via?: string;
  readonly principal: string;
  readonly error_class: string | null;
}

async function auditRow(reqId: string, of = harness): Promise<ActivityRow | undefined> {
  const args = ['lines=5000', 'structured=true', `filter=${reqId}`, 'source=activity'];
  const { stdout } = await exaiIn(of, 'call', 'activity', ...args, '--json');
  const { content } = JSON.parse(stdout) as { content: { rows: readonly ActivityRow[] } };
  return content.rows.find(({ req_id }) => req_id === reqId);
}

function logLines(reqId: string): readonly Record<string, unknown>[] {
  const folder = join(harness.home, 'logs');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line.includes(reqId))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function addClient(name: string, ...scopes: readonly string[]): Promise<string> {
  const flags = scopes.flatMap((scope) => ['--scope', scope]);
  const { stdout } = await exaiIn(harness, 'access', 'add', name, ...flags, '--json');
  return (JSON.parse(stdout) as { token: string }).token;
}

async function sdkClient(token: string): Promise<Client> {
  const client = new Client({ name: 'reaching', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${harness.url()}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

describe.each(['http modern', 'shim legacy', 'exai'] as const)(
  'over %s, through the wrappers',
  (transport) => {
    for (const { of, says, run } of TOOL_CASES) {
      verifies(of, `through call_tool over ${transport}: ${says}`, () =>
        run(throughWrappers(clientBy(transport))),
      );
    }
  },
);

describe.each(TOOL_TRANSPORTS)('over %s', (transport) => {
  verifies(
    'tools:wrapped',
    `over ${transport}: answer, audit and log have the inner name, and by which wrapper it came`,
    async () => {
      const client = clientBy(transport);
      const args = { name: 'challenge', arguments: { prompt: `By ${transport}` } };
      const { envelope, content } = await client.call('call_tool', args);
      expect(envelope).toMatchObject({ tool: 'challenge', status: 'challenge_accepted' });
      expect(content).toMatchObject({ original_statement: `By ${transport}` });
      // The row of a call that only reads joins the next commit, which may follow the answer.
      await expect
        .poll(() => auditRow(envelope.req_id))
        .toMatchObject({ tool: 'challenge', via: 'call_tool', error_class: null });
      await expect
        .poll(() => logLines(envelope.req_id))
        .toContainEqual(
          expect.objectContaining({ event: 'call_ended', tool: 'challenge', via: 'call_tool' }),
        );
    },
  );

  verifies('tools:wrapped-access', `over ${transport}: what is refused, and how`, async () => {
    const client = clientBy(transport);
    const wrong = async (wrapper: string, args: object) => {
      const { envelope, text } = await client.call(wrapper, args);
      return [envelope.error_class, text] as const;
    };
    const chat = { name: 'chat', arguments: { prompt: 'x' } };
    expect(await wrong('call_tool', { name: 'call_tool', arguments: chat })).toEqual([
      'bad_request',
      expect.stringContaining('call_tool cannot call call_tool.') as string,
    ]);
    expect(await wrong('call_tool', { name: 'threads', arguments: {} })).toEqual([
      'bad_request',
      expect.stringContaining('call_tool_write {"name": "threads"') as string,
    ]);
    expect(await wrong('call_tool', { name: 'precomit' })).toEqual([
      'not_found',
      expect.stringMatching(/did you mean "precommit"\?.*search_tools/s) as string,
    ]);
    expect(await wrong('call_tool_write', { name: 'gateway_chat' })).toEqual([
      'not_found',
      expect.any(String) as string,
    ]);
    const [classOf, text] = await wrong('call_tool', { name: 'precommit', arguments: {} });
    expect([classOf, text]).toEqual(await wrong('precommit', {}));
    expect(text).toContain('search_tools {"query": "precommit"}');
    for (const args of [7, [], 'nope', { x: 'y'.repeat(2_000_000) }, '{"x":'.repeat(9000)]) {
      expect((await wrong('call_tool', { name: 'challenge', arguments: args }))[0]).toBe(
        'validation',
      );
    }
  });

  verifies('tools:search', `over ${transport}: a search finds, and a name explains`, async () => {
    const client = clientBy(transport);
    const found = await client.call('search_tools', { query: 'check changes before a commit' });
    expect(found.content['tools']).toMatchObject([
      { name: 'precommit', listed: false, call_with: 'call_tool' },
      ...Array<unknown>((found.content['tools'] as unknown[]).length - 1).fill({}),
    ]);
    const { text } = await client.call('search_tools', { query: 'precommit' });
    expect(text).toContain('Call it with call_tool {"name": "precommit", "arguments": {…}}.');
    expect(text).toMatch(/^Input schema: \{"type":"object"/m);
  });
});

describe('the SDK of MCP', () => {
  verifies('tools:wrapped-listed', 'the owner is offered the three tools, annotated', async () => {
    const client = await sdkClient(harness.ownerToken);
    const { tools } = await client.listTools();
    const hints = tools
      .filter(({ name }) => /^(?:search_tools|call_tool.*)$/.test(name))
      .map(({ name, annotations }) => [name, annotations?.readOnlyHint]);
    expect(hints).toEqual([
      ['call_tool', true],
      ['call_tool_write', false],
      ['search_tools', true],
    ]);
    for (const name of ['version', 'health', 'activity', 'tool_help', 'precommit']) {
      expect(tools.map((tool) => tool.name)).not.toContain(name);
    }
    expect(client.getInstructions()).toContain('`call_tool`');
    await client.close();
  });

  verifies(
    'tools:wrapped-access',
    'a client that may read finds and calls what reads, and nothing else',
    async () => {
      const client = await sdkClient(await addClient('reader', 'read:*'));
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toContain('call_tool');
      expect(names).not.toContain('call_tool_write');
      expect(client.getInstructions()).toContain('`call_tool`');
      expect(client.getInstructions()).not.toContain('call_tool_write');
      const all = envelopeOf(await client.callTool({ name: 'search_tools', arguments: {} }));
      const found = (all.content as { tools: { name: string; call_with: string }[] }).tools;
      expect(found.map(({ name }) => name)).toContain('precommit');
      for (const name of WRITING) expect(found.map((tool) => tool.name)).not.toContain(name);
      expect(found.map((tool) => tool.call_with)).not.toContain('call_tool_write');
      const call = async (wrapper: string, name: string, args: object = {}) => {
        const result = await client.callTool({
          name: wrapper,
          arguments: { name, arguments: args },
        });
        return envelopeOf(result);
      };
      expect(await call('call_tool', 'version')).toMatchObject({
        tool: 'version',
        status: 'success',
      });
      expect(await call('call_tool', 'challenge', { prompt: 'x' })).toMatchObject({
        status: 'challenge_accepted',
      });
      for (const wrapper of ['call_tool', 'call_tool_write']) {
        for (const name of ['threads', 'mcp__exai__threads', 'threads_EXAI_WS', 'job_cancel']) {
          const { error_class: refused } = await call(wrapper, name, { action: 'list' });
          expect([wrapper, name, refused]).toEqual([wrapper, name, 'permission']);
        }
      }
      const reached = await client.callTool({
        name: 'search_tools',
        arguments: { query: 'threads' },
      });
      const related = (envelopeOf(reached).content as { tools: { name: string }[] }).tools;
      for (const name of WRITING) expect(related.map((tool) => tool.name)).not.toContain(name);
      await client.close();
    },
  );

  verifies('tools:wrapped', 'usage is that of the inner tool', async () => {
    const client = await sdkClient(await addClient('spender', '*'));
    const args = { name: 'chat', arguments: { prompt: 'Say exactly: hello' } };
    const result = await client.callTool({ name: 'call_tool', arguments: args });
    expect(envelopeOf(result)).toMatchObject({ tool: 'chat', content: 'hello' });
    const { stdout } = await exaiIn(harness, 'usage', '--by', 'tool', '--json');
    expect(stdout).toContain('"chat"');
    expect(stdout).not.toContain('call_tool');
    await client.close();
  });
});

describe('a long call through call_tool', () => {
  /** A daemon that detaches calls after a second. */
  let impatient: ToolsHarness;
  beforeAll(async () => {
    impatient = await openToolsHarness({ env: { EXAI_INLINE_WAIT_MS: '1000' } });
  });
  afterAll(() => impatient.close());

  function stall(): void {
    for (const vendor of ['kimi', 'glm', 'openrouter']) {
      impatient.emulator.fault({ id: 'slow', vendor, path: 'chat', times: 0, with: NEVER_ANSWERS });
    }
  }

  verifies('tools:wrapped', 'goes on as a job of the inner tool, of its own client', async () => {
    stall();
    const client = await openClient(impatient, 'http legacy');
    const args = { name: 'chat', arguments: { prompt: 'Say exactly: late', model: 'glm-5.3' } };
    const { envelope, text } = await client.call('call_tool', args);
    expect(envelope).toMatchObject({ status: 'running', tool: 'chat', job: { tool: 'chat' } });
    expect(text).toMatch(/job_cancel.*call_tool_write/);
    const id = envelope.job?.id ?? '';
    const list = await client.call('call_tool', { name: 'job_list', arguments: { limit: 100 } });
    expect(list.content['jobs']).toContainEqual(
      expect.objectContaining({ id, tool: 'chat', title: 'Say exactly: late' }),
    );
    const stranger = await openClient(
      impatient,
      'http legacy',
      await impatient.addClient('stranger'),
    );
    for (const [wrapper, name] of [
      ['call_tool', 'job_result'],
      ['call_tool_write', 'job_cancel'],
    ] as const) {
      const asked = await stranger.call(wrapper, { name, arguments: { job_id: id } });
      expect(asked.envelope).toMatchObject({ error_class: 'not_found' });
    }
    await stranger.close();
    const state = { name: 'job_result', arguments: { job_id: id, wait_seconds: 0 } };
    expect((await client.call('call_tool', state)).envelope).toMatchObject({ status: 'running' });
    const stop = { name: 'job_cancel', arguments: { job_id: id } };
    expect((await client.call('call_tool_write', stop)).envelope.status).toBe('success');
    const ended = await fetchResult(client, id);
    expect(ended.envelope).toMatchObject({ job: { id, status: 'cancelled' } });
    await expect
      .poll(() => auditRow(envelope.req_id, impatient))
      .toMatchObject({
        tool: 'chat',
        via: 'call_tool',
      });
    await client.close();
  });

  verifies('tools:wrapped', 'is a task to a client that follows tasks', async () => {
    const capabilities = { extensions: { [TASKS_EXTENSION]: {} } };
    const wire = overWs(harness.url(), harness.ownerToken);
    const peer = await createPeer('modern', wire, { capabilities });
    const background = { meta: { 'exai/background': true } };
    const chat = { name: 'chat', arguments: { prompt: 'Say exactly: as a task' } };
    const params = { name: 'call_tool', arguments: chat };
    const { result } = await peer.request('tools/call', params, background);
    expect(result).toMatchObject({ resultType: 'task' });
    const taskId = String(result?.['taskId']);
    const state = async () => (await peer.request('tasks/get', { taskId })).result;
    await expect.poll(state).toMatchObject({ status: 'completed' });
    expect(envelopeOf((await state())?.['result'])).toMatchObject({
      tool: 'chat',
      content: 'as a task',
    });
    const row = envelopeOf((await state())?.['result']).req_id;
    expect(await auditRow(row)).toMatchObject({ tool: 'chat', via: 'call_tool' });
    // The state of another job is an answer, and not a task of this call.
    const look = { name: 'job_result', arguments: { job_id: taskId } };
    const looked = await peer.request('tools/call', { name: 'call_tool', arguments: look });
    expect(looked.result).toMatchObject({ resultType: 'complete' });
    await peer.close();
  });
});

test('the command line calls through call_tool, and finds tools', async () => {
  const direct = await exaiIn(harness, 'call', 'version');
  for (const given of ['arguments={}', 'arguments={"model":"x"}']) {
    const wrapped = await exaiIn(harness, 'call', 'call_tool', 'name=version', given);
    expect(wrapped).toEqual(direct);
  }
  const args = JSON.stringify({ name: 'version', arguments: {} });
  expect(await exaiIn(harness, 'call', 'call_tool', '--args', args)).toEqual(direct);
  const found = await exaiIn(harness, 'call', 'search_tools', 'query=security audit');
  expect(found.stdout).toMatch(/^- secaudit \(not listed\)/);
});
