import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import type { CallRequest, CallResult } from '#core/calls/calls.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import type { Json } from '#core/json/json.ts';
import type { PinStore } from '#core/stores/pins.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import { createHttp } from '#net/create-http.ts';
import { createTestCalls, type TestCalls } from '../src/calls/calls.fixture.ts';
import { pinsInMemory } from './pins-in-memory.ts';
import { startEmulator, type Emulator } from '../emulator/start.ts';
import { createComposio } from '../emulator/composio/composio.ts';
import { createCatalogueCache } from '#hub/catalogue/catalogue-cache.ts';
import { toUpstreamTool, toUpstreamTools } from '#hub/calls/upstream-tools.ts';
import { createConnect } from '#hub/connection/connect.ts';
import { createHub, type ConfiguredHub } from '#hub/create-hub.ts';
import { createOngoingCalls } from '#hub/input/ongoing-calls.ts';
import { createComposioConnector, type ComposioConnector } from '#hub/composio/connect-composio.ts';
import { readComposioArguments } from '#hub/composio/read-composio-arguments.ts';
import { createUnlistedTools } from '#hub/composio/unlisted-tools.ts';

const NETWORK = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };
const NO_TRACER: Tracer = {
  isOff: true,
  span: async (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set() {} }),
};
let bytes = 0;
const random = (count: number) => new Uint8Array(count).fill(++bytes);

const CONFIG: UpstreamConfig = {
  type: 'http',
  command: '',
  args: [],
  env: {},
  cwd: '',
  url: '',
  headers: { 'x-api-key': 'ak_test' },
  disabled: false,
  disabledTools: [],
  shared: true,
  scan: 'block',
  sampling: 'deny',
  protocol: 'legacy',
  startTimeoutMs: 60_000,
  callTimeoutMs: 300_000,
  idleStopMs: 0,
  maxConcurrent: 16,
  composio: { userId: 'pg-1', toolkits: [] },
};

export interface ComposioHarness extends TestCalls {
  readonly upstream: Upstream;
  readonly hub: ConfiguredHub;
  readonly connector: ComposioConnector;
  /** The outer object of a call, and the notes after it. */
  readonly run: (slug: string, args: object, more?: Partial<CallRequest>) => Promise<ComposioRun>;
}

export interface ComposioRun {
  readonly result: CallResult;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects
  readonly outer: any;
  readonly notes: readonly string[];
}

/** The emulated Composio for the tests of a file, as new before each of them. */
export function useComposioEmulator(): { readonly emulator: Emulator } {
  let emulator: Emulator | undefined;
  beforeAll(async () => {
    emulator = await startEmulator({ vendors: [createComposio()] });
  });
  beforeEach(() => emulator?.reset());
  afterAll(() => emulator?.close());
  return {
    get emulator() {
      if (!emulator) throw new Error('The emulator runs only within tests.');
      return emulator;
    },
  };
}

export interface ComposioHarnessOptions {
  readonly config?: Partial<UpstreamConfig>;
  readonly maxMessageBytes?: number;
  /** What an earlier run left. */
  readonly stored?: Map<string, Json>;
  readonly pins?: PinStore;
}

/** The hub with Composio as its one server, and calls as the daemon has them. */
export async function openComposioHarness(
  emulator: Emulator,
  options: ComposioHarnessOptions = {},
): Promise<ComposioHarness> {
  const { maxMessageBytes = 33_554_432, stored = new Map<string, Json>() } = options;
  const { pins = pinsInMemory() } = options;
  const settings: SettingStore = {
    get: async (key) => stored.get(key),
    set: async (key, value) => void stored.set(key, value),
    keep: async (_, value) => value,
    delete: async (key) => void stored.delete(key),
  };
  const test = createTestCalls([]);
  const { clock, log, registry } = test;
  const config = { ...CONFIG, url: `${emulator.url}/composio`, ...options.config };
  const connector = createComposioConnector({
    clock,
    random,
    settings,
    http: async () => createHttp({ network: NETWORK, guard: 'configured', clock }),
  });
  const network = async () => NETWORK;
  const hub = createHub({
    connect: connector.wrap(createConnect({ clock, random, env: {}, folder: '/', network })),
    pins: { store: pins, servers: () => [] },
    cache: createCatalogueCache(settings),
    limits: { queue: 256, maxMessageBytes, maxToolsPerServer: 5_000 },
    clock,
    random,
    log,
  });
  const ongoing = createOngoingCalls({ clock, random });
  const about = (upstream: Upstream) => ({
    upstream,
    config,
    ongoing,
    tracer: NO_TRACER,
    readArguments: readComposioArguments,
  });
  hub.onChange((change, upstream) => {
    if (change === 'tools') registry.put('composio', toUpstreamTools(upstream, about(upstream)));
  });
  registry.putUnlisted(
    'composio',
    createUnlistedTools({
      server: 'composio',
      upstream: () => hub.find('composio'),
      toTool: (upstream, tool) => toUpstreamTool(upstream, tool, about(upstream)),
    }),
  );
  await hub.configure(new Map([['composio', { config, missingVariables: [] }]]));
  await hub.connectUnknown();
  onTestFinished(async () => {
    ongoing.close();
    await hub.close();
  });
  const upstream = hub.find('composio');
  if (!upstream) throw new Error('There is no Composio.');
  return {
    ...test,
    upstream,
    hub,
    connector,
    async run(slug, args, more) {
      const result = await test.answer(`mcp__composio__${slug}`, args, more);
      return { result, ...readTexts(result) };
    },
  };
}

export function readTexts({ foreign }: CallResult): Pick<ComposioRun, 'outer' | 'notes'> {
  const [first = 'null', ...notes] = (foreign?.content ?? []).flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  );
  return { outer: JSON.parse(first) as unknown, notes };
}
