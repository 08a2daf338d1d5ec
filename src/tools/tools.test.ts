import { createRanking } from './search/ranking/create-ranking.ts';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { CallFilter, CallRecord } from '#core/stores/calls.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { REFUSING_MANAGER } from '../../test/refusing-manager.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createListLog } from '../../test/list-log.ts';
import { verifies } from '../../test/verifies.ts';
import { builtinTools, modelTools, opsTools, type BuiltinDeps } from './index.ts';
import { createTestDirectory } from './reporting/model-directory.fixture.ts';
import { threads } from './threads/threads.ts';
import { callOf, logLine, NOW } from './reporting/call-records.fixture.ts';
import { WORKFLOWS } from './workflow/definitions/index.ts';
import { NO_INNER_CALLS, NO_TOOL_LOOP } from '../../test/no-tools.ts';

const SECRET_PLACE = '/home/me/.exai/data';
const NOTHING_SPENT = { calls: 0, costMicroUsd: 0, unpriced: 0, estimated: 0, exhausted: [] };

interface World {
  readonly calls?: readonly CallRecord[];
  readonly log?: readonly string[];
  readonly ops?: Partial<Diagnostics>;
}

/** A fake daemon for the tools, made of plain values; it records the requests. */
function world({ calls = [], log = [], ops: more = {} }: World = {}) {
  const asked: { what: string; with: unknown }[] = [];
  const note = (what: string, given?: unknown) => void asked.push({ what, with: given });
  const ops: Diagnostics = {
    build: {
      version: '1.2.3',
      node: 'v20.19.0',
      platform: 'linux-x64',
      schema: 1,
      protocols: ['2026-07-28', '2025-11-25'],
    },
    uptimeMs: () => 7_384_000,
    endpoint: () => 'http://127.0.0.1:8765',
    gateway: () => 'http://127.0.0.1:8765/v1',
    load: () => ({
      running: 38,
      waitingForProvider: 2,
      waiting: 1,
      capacity: 24,
      connections: 3,
      maxConnections: 2000,
    }),
    catalogue: () => ({ version: 'abc', names: ['activity', 'status'] }),
    async store(look) {
      note('store', look);
      const name = `SQLite in ${SECRET_PLACE}`;
      return { ok: true, kind: 'sqlite', schemaVersion: 1, name };
    },
    async probe() {
      note('probe');
      return [
        { what: 'the store', ok: true, elapsedMs: 2 },
        { what: 'the listener', ok: false, elapsedMs: 5, detail: 'The connection was refused' },
      ];
    },
    providers: () => [
      { name: 'kimi', title: 'Kimi (Moonshot)', configured: true },
      { name: 'glm', title: 'GLM (Z.ai)', configured: false },
    ],
    breakers: async () => [{ key: 'kimi/k3', state: 'open', errorClass: 'timeout' }],
    spending: async () => ({ day: '2026-01-31', ...NOTHING_SPENT }),
    notices: () => [notice('text', { text: 'KIMI_API_KEY is not known here.' })],
    async calls(filter: CallFilter) {
      note('calls', filter);
      const { principal, sinceMs = 0, untilMs = Infinity, limit } = filter;
      return calls
        .filter((call) => principal === undefined || call.principal === principal)
        .filter(({ at }) => at >= sinceMs && at < untilMs)
        .slice(0, limit);
    },
    async logLines(count) {
      note('log', count);
      return log.slice(-count);
    },
    async search(pattern, lines) {
      note('search', pattern);
      if (pattern === '(') throw new CallError('validation', 'No.', { field: 'filter' });
      return [...lines.keys()].filter((at) => new RegExp(pattern, 'i').test(lines[at] ?? ''));
    },
    async diagnose() {
      note('doctor');
      const check = { id: 'node', title: 'Node.js', status: 'ok', detail: 'v20' } as const;
      return { checks: [check], summary: 'All works.', next: 'exai status' };
    },
    ...more,
  };
  const deps: BuiltinDeps = {
    modelDirectory: createTestDirectory(),
    manager: REFUSING_MANAGER,
    catalogue: {
      all: () => tools,
      list: () => NO_LIST,
      decide: () => ({ verdict: 'allow', reasons: [] }),
    },
    threads: unused('threads'),
    workspace: unused('workspace'),
    fileIntake: unused('fileIntake'),
    fileIndex: unused('fileIndex'),
    checkSentTexts: async () => [],
    clock: createFakeClock(),
    locale: '',
    toolLoop: NO_TOOL_LOOP,
    ranking: createRanking(),
    find: () => undefined,
    operation: () => undefined,
    toolFacts: () => undefined,
    suggest: () => '',
  };
  const own = [...modelTools(deps.modelDirectory), ...opsTools(ops), threads(deps)];
  const tools: readonly Tool[] = [...builtinTools(deps), ...own];
  const run = async (name: string, args = {}, principal = 'local'): Promise<ToolResult> => {
    const tool = tools.find((each) => each.name === name) ?? unused<Tool>(name);
    const answer = await tool.run(tool.parse(args), contextOf(name, principal));
    if ('inputRequests' in answer) throw new Error(`${name} asks`);
    return answer;
  };
  return { tools, run, asked };
}

/** Dependencies of tools that have their own tests. */
function unused<T extends object>(what: string): T {
  const refuse = () => {
    throw new Error(`no ${what} here`);
  };
  return new Proxy({} as T, { get: refuse });
}

const NO_LIST = { version: '', tools: [], json: '[]' };

function contextOf(tool: string, principal: string): ToolContext {
  return {
    reqId: 'req_0',
    tool,
    args: {},
    caller: { principal, scopes: ['*'], roots: [] },
    deadline: { at: 0 },
    signal: new AbortController().signal,
    metadata: { timestamp_utc: NOW, timestamp_local: NOW, timezone: 'UTC' },
    progress: () => undefined,
    log: createListLog(),
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
    resumedFrom: undefined,
    checkpoint: () => undefined,
    storeCheckpoint: async () => undefined,
    ask: () => Promise.reject(new Error('it asks nobody')),
    calls: NO_INNER_CALLS,
    logToClient: () => undefined,
  };
}

const SEARCHING = [
  'search_tools',
  'get_tool_schemas',
  'multi_execute_tool',
  'call_tool',
  'call_tool_write',
];

test('every file is a tool of a list, by its own name; larger tools have folders', () => {
  const files = readdirSync(new URL('.', import.meta.url))
    .filter((file) => file.endsWith('.ts') && !/^(index|icon)\.|\.(test|prompt)\./.test(file))
    .map((file) => file.replace('.ts', '').replaceAll('-', '_'));
  const workflows = WORKFLOWS.map(({ name }) => name);
  const names = world().tools.map(({ name }) => name);
  expect(names.toSorted()).toEqual(
    [
      ...files,
      ...workflows,
      ...SEARCHING,
      'consensus',
      'file_chat',
      'planner',
      'threads',
    ].toSorted(),
  );
});

test.each([
  ['status', {}],
  ['status', { include_tools: true, doctor: true, probe: true }],
  ['health', {}],
  ['version', {}],
  ['activity', {}],
  ['activity', { structured: true }],
  ['listmodels', { include_retired: true }],
  ['provider_capabilities', {}],
])('the content of %s %j is what its output schema says', async (name, args) => {
  const { tools, run } = world({ calls: [callOf(1), callOf(2)], log: [logLine(1, 'warn')] });
  for (const principal of ['local', 'laptop']) {
    const { content } = await run(name, args, principal);
    const envelope = { status: 'success', tool: name, attempt: 0, req_id: 'req_1', content };
    const schema = tools.find((tool) => tool.name === name)?.outputSchema;
    expect(schema).toBeDefined();
    expect(z.fromJSONSchema(schema as never).safeParse(envelope)).toMatchObject({ success: true });
  }
});

verifies(
  'tools:reporting',
  'version has all versions, and the same answer every time',
  async () => {
    const { run } = world();
    const answer = await run('version');
    expect(answer.text).toBe(
      'EX-AI 1.2.3, Node.js v20.19.0, linux-x64, store schema 1, MCP 2026-07-28, 2025-11-25',
    );
    expect(await run('version', { model: 'auto' })).toBe(answer);
  },
);

verifies('tools:reporting', 'status is a few lines, and probes nothing', async () => {
  const log = [logLine(3), logLine(2, 'warn', 'slow_disk'), logLine(1)];
  const { run, asked } = world({ log });
  const { text, content, detail } = await run('status');
  expect(text.split('\n')).toEqual([
    'EX-AI 1.2.3 has been up for 2 hours at http://127.0.0.1:8765',
    'Gateway: as OpenAI and Anthropic at http://127.0.0.1:8765/v1',
    `Store: SQLite in ${SECRET_PLACE}, schema 1, works`,
    'Calls: 38 running; waiting for a provider: 2 of 24, queued: 1; connections: 3 of 2000',
    'Providers: Kimi (Moonshot); without a key: GLM (Z.ai)',
    'Tools: 2 for you, catalogue abc',
    'Notice: KIMI_API_KEY is not known here.',
    'Log: warnings and errors in the last 30 lines: 1',
    '  2026-01-31T11:58:00.000Z warn slow_disk index=2',
  ]);
  expect(detail).toBeUndefined();
  expect(content).toMatchObject({ uptime_s: 7384, catalogue: { version: 'abc', count: 2 } });
  expect(asked).toEqual([
    { what: 'store', with: 'known' },
    { what: 'log', with: 30 },
  ]);
});

test('status names the tools, probes and runs the doctor on request', async () => {
  const { run, asked } = world();
  const { text, content } = await run('status', {
    tail_lines: 0,
    include_tools: true,
    doctor: true,
    probe: true,
  });
  expect(text).toContain('catalogue abc: activity, status');
  expect(text).toContain('Probe of the store: answered in 2 ms');
  expect(text).toContain('Probe of the listener: failed: The connection was refused');
  expect(text).toContain('Doctor: All works. Next: exai status\n  ok Node.js: v20');
  expect(content).toMatchObject({
    catalogue: { tools: ['activity', 'status'] },
    probes: [{ ok: true }, { ok: false, elapsed_ms: 5 }],
    doctor: { next: 'exai status' },
  });
  expect(asked.map(({ what }) => what).toSorted()).toEqual(['doctor', 'probe', 'store']);
});

verifies(
  'tools:reporting',
  'a client sees no log, location, notice or doctor, and learns so',
  async () => {
    const log = [logLine(1, 'error', 'secret_event')];
    const { run, asked } = world({ log });
    const status = await run('status', { doctor: true }, 'laptop');
    const health = await run('health', {}, 'laptop');
    for (const answer of [status, health]) {
      const all = JSON.stringify(answer);
      expect(all).not.toContain('secret_event');
      expect(all).not.toContain(SECRET_PLACE);
      expect(all).not.toContain('KIMI_API_KEY');
      expect(answer.detail).toContain(
        'The log of the daemon is shown to callers on its own machine',
      );
    }
    expect(status.detail).toContain('The findings of the doctor');
    expect(asked.map(({ what }) => what)).not.toContain('log');
    expect(asked.map(({ what }) => what)).not.toContain('doctor');
  },
);

verifies(
  'tools:reporting',
  'health shows the store, the providers, the breakers, the limits and the last problems',
  async () => {
    const log = [
      ...Array.from({ length: 60 }, (_, index) => logLine(100 - index, 'warn', `w${index}`)),
      logLine(1, 'error', 'broke'),
      logLine(0),
    ];
    const { run } = world({ log });
    const { text, content } = await run('health');
    expect(text).toContain('Breakers: kimi/k3 open');
    expect(text).toContain('Last warnings and errors:');
    const { warnings } = content as { warnings: string[] };
    expect(warnings).toHaveLength(50);
    expect(warnings.at(-1)).toContain('error broke');
    expect((await run('health', { tail_lines: 0 })).content).toMatchObject({ warnings: [] });
  },
);

test('a failed store is reported', async () => {
  const finding = { ok: false, kind: 'sqlite', schemaVersion: 1, name: 'SQLite in x' } as const;
  const store = async () => ({ ...finding, detail: 'It does not answer.' });
  const lost = () => Promise.reject(new CallError('network', 'It is gone.'));
  const { run } = world({ ops: { store, breakers: lost, logLines: lost } });
  const { text, content } = await run('health');
  expect(text).toContain('Breakers: not known while the store does not answer');
  expect(text).toContain('The log cannot be read: It is gone.');
  expect(text).toContain('Store: SQLite in x, schema 1, does not work: It does not answer.');
  expect(content).toMatchObject({ ok: false });
  expect((await run('status')).text).toContain('The log cannot be read: It is gone.');
});

test('activity shows the newest calls, oldest first', async () => {
  const calls = Array.from({ length: 300 }, (_, index) => callOf(index));
  const { run } = world({ calls });
  const { text, content, detail } = await run('activity', { lines: 10 });
  const lines = text.split('\n');
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe(`${NOW} chat success 0 ms, local by ws, req_0`);
  expect(lines[0]).toContain('req_9');
  expect(content).toEqual({ source: 'activity', count: 10, lines });
  expect(detail).toBeUndefined();
});

verifies('tools:reporting', 'activity takes a window, a filter and gives rows', async () => {
  const calls = Array.from({ length: 300 }, (_, index) => callOf(index));
  const { run, asked } = world({ calls });
  const { text, content } = await run('activity', {
    since: '30m',
    until: '2026-01-31T11:50:00Z',
    filter: '^\\S+ chat',
    structured: true,
  });
  const { rows } = content as { rows: { req_id: string }[] };
  expect(rows.map((row) => row.req_id)).toEqual(
    [30, 27, 24, 21, 18, 15, 12].map((n) => `req_${n}`),
  );
  expect(text.split('\n').map((line) => JSON.parse(line))).toEqual(rows);
  expect(asked.map(({ what }) => what)).toEqual(['calls', 'search']);
});

verifies('tools:reporting', 'a client sees only its own calls, and learns so', async () => {
  const calls = Array.from({ length: 20 }, (_, index) => callOf(index));
  const { run } = world({ calls, log: [logLine(1)] });
  const { text, content, detail } = await run('activity', { structured: true }, 'laptop');
  const { rows } = content as { rows: { principal: string }[] };
  expect(new Set(rows.map(({ principal }) => principal))).toEqual(new Set(['laptop']));
  expect(detail).toBe('Only the calls of laptop are shown.');
  expect(text).toContain('Only the calls of laptop are shown.');
  const empty = world({ log: [logLine(1)] });
  for (const source of ['auto', 'server']) {
    const answer = await empty.run('activity', { source }, 'laptop');
    expect(answer).toMatchObject({
      text: 'The log of the daemon is shown to callers on its own machine only.',
      content: { source: 'server', count: 0 },
    });
  }
});

test('auto falls back to the log when there are no calls; activity does not', async () => {
  const log = [logLine(90), logLine(2), 'not a line of ours', logLine(1, 'warn')];
  const { run } = world({ log });
  expect((await run('activity')).content).toMatchObject({ source: 'server', count: 3 });
  expect((await run('activity', { since: '1h' })).content).toMatchObject({ count: 2 });
  expect(await run('activity', { source: 'activity' })).toMatchObject({
    text: 'Nothing was found.',
    content: { source: 'activity', count: 0, lines: [] },
  });
  const { content } = await run('activity', { source: 'server', structured: true, filter: 'warn' });
  expect(content).toMatchObject({ rows: [{ level: 'warn', index: 1 }] });
});

test('what is too much for an answer is left out and counted', async () => {
  const long = 'x'.repeat(30_000);
  const calls = Array.from({ length: 50 }, (_, index) => callOf(index, { tool: long }));
  const { run } = world({ calls });
  const { text, content, detail } = await run('activity');
  expect(text.length).toBeLessThan(1_001_000);
  expect(content).toMatchObject({ count: 33 });
  expect(detail).toBe('17 older ones were left out: the answer would be too long.');
});

test('a search says how far back it went', async () => {
  const calls = Array.from({ length: 5001 }, (_, index) => callOf(index));
  const { run } = world({ calls });
  const { detail } = await run('activity', { filter: 'req_1$' });
  expect(detail).toContain('Only the last 5000 calls were searched');
  const logs = world({ log: Array.from({ length: 5001 }, () => logLine(1)) });
  expect((await logs.run('activity', { since: '1h' })).detail).toContain('the last 5000 lines');
});

test.each([
  ['activity', { lines: 9 }, 'lines'],
  ['activity', { lines: 5001 }, 'lines'],
  ['activity', { lines: '20' }, 'lines'],
  ['activity', { filter: 'x'.repeat(257) }, 'filter'],
  ['activity', { filter: '(' }, 'filter'],
  ['activity', { source: 'daemon' }, 'source'],
  ['activity', { since: 'soon' }, 'since'],
  ['activity', { until: '1' }, 'until'],
  ['activity', { since: '1h', until: '2h' }, 'since'],
  ['activity', { structured: 'yes' }, 'structured'],
  ['status', { tail_lines: 501 }, 'tail_lines'],
  ['status', { tail_lines: 1.5 }, 'tail_lines'],
  ['status', { include_tool: true }, 'include_tool'],
  ['health', { tail_lines: -1 }, 'tail_lines'],
  ['health', { tail_lines: null }, 'tail_lines'],
  ['version', { verbose: true }, 'verbose'],
  ['version', JSON.parse('{"__proto__": 1}') as object, '__proto__'],
])('%s %j is refused, and the field is named', async (name, args, field) => {
  const { run } = world({ calls: [callOf(1)] });
  const refused = (async () => run(name, args))();
  await expect(refused).rejects.toMatchObject({ class: 'validation', field });
});
