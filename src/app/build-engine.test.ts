import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { REFUSING_MANAGER } from '../../test/refusing-manager.ts';
import { verifies } from '../../test/verifies.ts';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Profile } from '#core/tools/tool.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallRequest, Calls, Change } from '#core/calls/calls.ts';
import type { Embedder } from '#core/llm/embed.ts';
import { createIds } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { makeStoreHome, type StoreHome } from '../../test/stores.ts';
import { listedTools } from '../../test/listed-tools.ts';
import { openUpstreams } from './providers/upstreams.ts';
import { buildEngine, type EngineParts } from './build-engine.ts';
import { conformanceFeature } from './conformance.ts';
import type { Engine } from './engine.ts';
import { createLifecycle } from './daemon/lifecycle.ts';
import { systemClock } from './system.ts';

const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const CLIENT: Caller = { principal: 'client_1', scopes: ['status', 'version'], roots: [] };
const STRANGER: Caller = { principal: 'client_2', scopes: ['health'], roots: [] };

const OWN_TEMPLATES = [
  'exai://files/{id}',
  'exai://jobs/{id}',
  'exai://results/{id}',
  'exai://threads/{id}',
  'exai://threads/{id}/before/{turn}',
  'exai://tools/{name}',
];

let home: StoreHome;
let store: Store;

beforeEach(async () => {
  home = await makeStoreHome('sqlite');
  store = await openStore({ ...home, writerId: 'writer_test' });
});

afterEach(async () => {
  await store.close();
  await home.remove();
});

async function build(
  env: Record<string, string> = {},
  more: Partial<EngineParts> = {},
  onLine: (listener: () => void) => void = () => undefined,
): Promise<Engine> {
  const { log } = home;
  const clock = systemClock;
  const random = (bytes: number) => new Uint8Array(bytes).fill(7);
  const loaded = loadConfig({ env: { EXAI_HOME: join(home.dataDir, '..'), ...env } });
  const { settings } = store;
  const { modelDirectory: desk } = await openUpstreams({
    config: loaded.config,
    settings,
    clock,
    random,
    log,
  });
  return buildEngine({
    loaded,
    modelDirectory: desk,
    manager: REFUSING_MANAGER,
    system: { clock, random, warn: () => undefined },
    host: '127.0.0.1',
    store,
    storedIn: 'SQLite in a folder',
    newId: createIds(clock, random),
    telemetry: {
      log,
      crumbs: log,
      metrics: createMetrics({ redact: (text) => text }),
      tracer: {
        isOff: true,
        span: async (_name, _options, work) =>
          work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined }),
      },
      onLine,
      flush: async () => undefined,
      stop: async () => undefined,
    },
    instance: 'i',
    startedAtMs: clock.now(),
    listeners: () => undefined,
    requestStop: () => undefined,
    lifecycle: createLifecycle(clock),
    ...more,
  });
}

function ask({ calls }: Engine, tool: string, more: Partial<CallRequest> = {}) {
  return calls.start({ tool, args: {}, caller: OWNER, transport: 'http', session: 's', ...more })
    .answer;
}

async function read(engine: Engine, uri: string, caller = OWNER): Promise<unknown> {
  const { envelope, error } = await ask(engine, uri, { kind: 'resource', caller });
  if (error) throw error;
  const { contents } = envelope.content as { contents: { text: string }[] };
  return JSON.parse(contents[0]?.text ?? '');
}

function listed({ calls }: Engine, caller = OWNER): Record<string, string[]> {
  const keys = (kind: Parameters<Calls['page']>[1], key: string) => {
    const entries = JSON.parse(calls.page(caller, kind)?.json ?? '[]') as Record<string, string>[];
    return entries.map((entry) => entry[key] ?? '');
  };
  return {
    tools: keys('tools', 'name'),
    prompts: keys('prompts', 'name'),
    resources: keys('resources', 'uri'),
    templates: keys('templates', 'uriTemplate'),
  };
}

verifies(
  'mcp:fixtures',
  'a daemon has its own tools, prompts and resources, and no fixture is listed, callable or readable',
  async () => {
    const plain = await build();
    expect(listed(plain)).toEqual({
      tools: namesOf('lean'),
      prompts: [
        'chat',
        'codereview',
        'consensus',
        'continue',
        'debug',
        'diagnose',
        'planner',
        'thinkdeep',
      ],
      resources: [
        'exai://files',
        'exai://jobs',
        'exai://logs',
        'exai://status',
        'exai://threads',
        'exai://tools',
        'exai://usage',
      ],
      templates: OWN_TEMPLATES,
    });
    const fixtures = listed(await build({}, { features: [conformanceFeature] }));
    const kinds = { tools: 'tool', prompts: 'prompt', resources: 'resource' } as const;
    let tried = 0;
    for (const [list, kind] of Object.entries(kinds)) {
      const own = listed(plain)[list] ?? [];
      for (const name of fixtures[list] ?? []) {
        if (own.includes(name)) continue;
        tried += 1;
        expect((await ask(plain, name, { kind })).error).toMatchObject({ class: 'not_found' });
      }
    }
    expect(tried).toBe(43);
    const templated = await ask(plain, 'test://template/1/data', { kind: 'resource' });
    expect(templated.error).toMatchObject({ class: 'not_found' });
  },
);

test('fixtures are listed beside the built-in tools, in every profile', async () => {
  const engine = await build({ EXAI_PROFILE: 'lean' }, { features: [conformanceFeature] });
  const { tools = [], prompts = [], resources = [], templates = [] } = listed(engine);
  expect(tools).toContain('status');
  expect(tools.filter((name) => /^test_|^json_/.test(name))).toHaveLength(29);
  expect(prompts.filter((name) => name.startsWith('test_'))).toHaveLength(5);
  expect(resources.filter((uri) => uri.startsWith('test:'))).toHaveLength(3);
  expect(templates).toEqual([...OWN_TEMPLATES, 'test://template/{id}/data']);
  expect((await ask(engine, 'test_simple_text')).text).toContain('simple text response');
});

test('exai://status has the result of the status tool, for callers that may call it', async () => {
  const engine = await build();
  const { envelope } = await ask(engine, 'status');
  const uptime = { uptime_s: expect.any(Number) as number };
  expect(await read(engine, 'exai://status')).toEqual({
    ...(envelope.content as object),
    ...uptime,
  });
  expect(await read(engine, 'exai://status', CLIENT)).not.toHaveProperty('warnings');
  await expect(read(engine, 'exai://status', STRANGER)).rejects.toMatchObject({
    class: 'permission',
  });
  expect(listed(engine, STRANGER)).toMatchObject({ prompts: [], resources: [], templates: [] });
});

verifies(
  'mcp:materials',
  'exai://tools lists what its reader may use, and marks what the profile omits',
  async () => {
    const engine = await build();
    const [version] = engine.registry.all().filter(({ name }) => name === 'version');
    if (!version) throw new Error('no version');
    engine.registry.put('more', [{ ...version, name: 'rare', profile: 'full' }]);
    const names = (index: unknown) =>
      (index as { tools: { name: string; listed: boolean }[] }).tools.map((tool) => [
        tool.name,
        tool.listed,
      ]);
    const lean = namesOf('lean');
    expect(names(await read(engine, 'exai://tools'))).toEqual(
      [...namesOf('full'), 'rare'].toSorted().map((name) => [name, lean.includes(name)]),
    );
    expect(names(await read(engine, 'exai://tools', CLIENT))).toEqual([
      ['call_tool', true],
      ['get_tool_schemas', false],
      ['multi_execute_tool', false],
      ['search_tools', true],
      ['status', true],
      ['version', false],
    ]);
  },
);

test('subscribers of exai://tools are notified when the tools change', async () => {
  const engine = await build();
  const changes: Change[] = [];
  engine.calls.onChange((change) => changes.push(change));
  engine.registry.put('more', []);
  expect(changes).toContainEqual({ uri: 'exai://tools' });
  expect(changes).toContainEqual({ list: 'tools' });
});

test('changes of a conversation, of usage and of the log are notified to the callers they concern', async () => {
  let line = () => {};
  const asking = {
    ...REFUSING_MANAGER,
    ask: () => Promise.reject(new CallError('timeout', 'late')),
  };
  const clock = createFakeClock();
  const system = { clock, random: (bytes: number) => new Uint8Array(bytes), warn: () => undefined };
  const engine = await build({}, { manager: asking, system }, (listener) => (line = listener));
  const changes: Change[] = [];
  engine.calls.onChange((change) => changes.push(change));
  const step = { step: 'x', step_number: 1, total_steps: 2, next_step_required: true };
  const { envelope } = await ask(engine, 'planner', { args: step });
  const { id } = envelope.continuation ?? {};
  await ask(engine, 'chat', { args: { prompt: 'x' }, caller: { ...OWNER, principal: 'ann' } });
  line();
  expect(changes).toEqual([
    { uri: `exai://threads/${id}`, principal: 'local' },
    { uri: 'exai://threads', principal: 'local' },
    { uri: 'exai://usage', principal: 'ann' },
    { uri: 'exai://usage', principal: 'local' },
  ]);
  clock.advance(1_000);
  expect(changes.at(-1)).toEqual({ uri: 'exai://logs', principal: 'local' });
});

verifies(
  'mcp:materials',
  'a tool definition is complete, and forbidden tools are not found',
  async () => {
    const engine = await build();
    expect(await read(engine, 'exai://tools/health')).toMatchObject({
      name: 'health',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      tier: 'user',
      profile: 'standard',
      listed: false,
    });
    const unknown = { class: 'not_found', field: 'uri' };
    await expect(read(engine, 'exai://tools/health', CLIENT)).rejects.toMatchObject(unknown);
    for (const name of ['helth', '__proto__', 'constructor', '%00', 'a'.repeat(3000)]) {
      await expect(read(engine, `exai://tools/${name}`)).rejects.toMatchObject({
        class: 'not_found',
      });
    }
  },
);

test('the name of a definition is completed with what its reader may use, beginnings first', async () => {
  const { calls } = await build();
  const complete = (value: string, caller = OWNER) =>
    calls.complete(caller, {
      of: { template: 'exai://tools/{name}' },
      argument: 'name',
      value,
      args: {},
    });
  expect(await complete('')).toEqual(namesOf('full'));
  const withS = await complete('S');
  expect(withS.slice(0, 4)).toEqual(['search_files', 'search_tools', 'secaudit', 'status']);
  expect(withS.slice(4)).toEqual(
    namesOf('full').filter((name) => !name.startsWith('s') && name.includes('s')),
  );
  expect(await complete('hea', CLIENT)).toEqual([]);
  await expect(complete('h', STRANGER)).rejects.toMatchObject({ class: 'not_found' });
});

test('diagnose sends the model to the three tools, with the symptom as the user wrote it', async () => {
  const engine = await build();
  const say = async (args: object) => {
    const { envelope, error } = await ask(engine, 'diagnose', { kind: 'prompt', args });
    if (error) throw error;
    const { messages } = envelope.content as { messages: { content: { text: string } }[] };
    return messages.map(({ content }) => content.text).join('\n');
  };
  const plain = await say({});
  for (const tool of ['status', 'health', 'activity']) expect(plain).toContain(`. ${tool}`);
  expect(plain).not.toContain('<symptom>');
  expect(await say({ symptom: '  ' })).toBe(plain);
  expect(await say({ symptom: 'it is slow' })).toContain('<symptom>\nit is slow\n</symptom>');
  await expect(say({ symptoms: 'x' })).rejects.toMatchObject({ class: 'validation' });
  const refused = await ask(engine, 'diagnose', { kind: 'prompt', caller: STRANGER });
  expect(refused.error).toMatchObject({ class: 'permission' });
});

verifies('mcp:rounds', 'the key of request states is created once and stored', async () => {
  await build();
  const stored = await store.settings.get('request_state_key');
  expect(stored).toBe(Buffer.alloc(32, 7).toString('base64url'));
  const random = (bytes: number) => new Uint8Array(bytes).fill(9);
  await build({}, { system: { clock: systemClock, random, warn: () => undefined } });
  expect(await store.settings.get('request_state_key')).toBe(stored);
  await store.settings.set('request_state_key', { not: 'a key' });
  await build();
  expect(await store.settings.get('request_state_key')).toBe(stored);
});

const OPERATIONS = [
  'gateway_chat',
  'gateway_count_tokens',
  'gateway_embeddings',
  'gateway_models',
] as const;
const EMBEDDER: Embedder = {
  embed: () => Promise.reject(new CallError('not_configured', 'Nobody makes embeddings here.')),
};

verifies(
  'gateway:rights',
  'the operations of the gateway are calls of their own kind, and listed nowhere',
  async () => {
    const engine = await build({}, { embedder: EMBEDDER });
    for (const tools of [
      listed(engine)['tools'] ?? [],
      engine.registry.all().map(({ name }) => name),
      JSON.stringify(await read(engine, 'exai://tools')),
    ]) {
      expect(tools).not.toContain('gateway_');
    }
    for (const name of OPERATIONS) {
      expect(engine.content.operation(name)?.tool.name).toBe(name);
      expect((await ask(engine, name)).error).toMatchObject({ class: 'not_found' });
    }
    const { envelope, error } = await ask(engine, 'gateway_models', { kind: 'operation' });
    expect(error).toBeUndefined();
    expect(envelope.content).toMatchObject({ models: [{ id: 'auto', provider: 'exai' }] });
    const embeddings = { kind: 'operation', args: { model: 'auto', texts: ['a'] } } as const;
    expect((await ask(engine, 'gateway_embeddings', embeddings)).error).toMatchObject({
      class: 'not_configured',
    });
  },
);

test('a gateway chat asks the manager and emits its parts as progress', async () => {
  const received: unknown[] = [];
  const engine = await build(
    { EXAI_GATEWAY_ALIASES: 'gpt-*=auto' },
    {
      manager: {
        ...REFUSING_MANAGER,
        async ask(request, by, listener) {
          received.push({ model: request.model, tool: by.tool, category: by.category });
          listener?.onText?.('Four.');
          throw new CallError('provider_error', 'It failed.');
        },
      },
    },
  );
  const question = { messages: [{ role: 'user', content: '2 + 2?' }], model: 'gpt-4o' };
  const { error, envelope } = await ask(engine, 'gateway_chat', {
    kind: 'operation',
    args: { ask: question, choices: 1 },
    onProgress: (step) => received.push(step),
  });
  expect(received).toEqual([
    { model: 'auto', tool: 'gateway_chat', category: 'balanced' },
    { piece: { type: 'text', text: 'Four.' }, choice: 0 },
  ]);
  expect([error?.class, envelope.error_class]).toEqual(['provider_error', 'provider_error']);
});

verifies('gateway:rights', 'scopes apply to operations by their names', async () => {
  const { calls } = await build();
  const may = (scopes: readonly string[], tool: string) =>
    calls.decide({ principal: 'app', scopes, roots: [] }, tool).verdict;
  expect(OPERATIONS.map((name) => may(['gateway_*'], name))).toEqual(
    // Without an embedder there are no embeddings.
    ['allow', 'allow', 'deny', 'allow'],
  );
  expect(may(['chat'], 'gateway_chat')).toBe('deny');
  expect(may(['*'], 'gateway_chat')).toBe('allow');
  expect(may(['read:*'], 'gateway_chat')).toBe('read_only');
  expect(may(['*', 'deny:gateway_chat'], 'gateway_chat')).toBe('deny');
});

test('features that the settings disable are absent', async () => {
  const there = async (env: Record<string, string>) => {
    const { content } = await build(env, { embedder: EMBEDDER });
    return OPERATIONS.filter((name) => content.operation(name));
  };
  expect(await there({})).toEqual(OPERATIONS);
  expect(await there({ EXAI_GATEWAY_ENABLED: 'false' })).toEqual([]);
  expect(await there({ DISABLED_TOOLS: 'gateway_e*' })).toEqual(
    OPERATIONS.filter((name) => name !== 'gateway_embeddings'),
  );
});

function namesOf(profile: Profile): string[] {
  return listedTools(profile)
    .map(({ name }) => name)
    .toSorted();
}
