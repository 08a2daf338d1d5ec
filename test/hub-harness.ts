import { onTestFinished } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { Upstream, UpstreamChange } from '#core/hub/upstream.ts';
import type { PinStore } from '#core/stores/pins.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import { toUpstreamTools } from '#hub/calls/upstream-tools.ts';
import { openLinkConnection } from '#hub/connection/link-connection.ts';
import type { Random } from '#core/random.ts';
import type { Connection } from '#hub/connection/connection.ts';
import type { LinkHandlers } from '#hub/connection/message-link.ts';
import { peersOf } from '#hub/pins/peer-servers.ts';
import { createHub, type ConfiguredHub } from '#hub/create-hub.ts';
import { createOngoingCalls, type OngoingCalls } from '#hub/input/ongoing-calls.ts';
import { connectionCapabilities } from '#hub/input/server-request.ts';
import type { ConnectUpstream } from '#hub/lifecycle/create-upstream.ts';
import { createPassThrough } from '#hub/pass-through/create-pass-through.ts';
import { serverUri } from '#hub/pass-through/server-uri.ts';
import { createCatalogueCache } from '#hub/catalogue/catalogue-cache.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { pinsInMemory } from './pins-in-memory.ts';
import {
  createTestCalls,
  type TestCalls,
  type TestCallsOptions,
} from '../src/calls/calls.fixture.ts';

export interface RpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** One connection of a scripted server. */
export interface ScriptedConnection {
  /** Everything that the hub sent over it. */
  readonly received: RpcMessage[];
  readonly send: (message: object) => void;
  /** Ends it, as a program that exits does. */
  hangUp(): void;
  /** The answer of the hub to a request of the server. */
  ask(id: string | number, method: string, params?: JsonObject): Promise<RpcMessage>;
}

type Handler = (message: RpcMessage, connection: ScriptedConnection) => void;

/** A server in memory: what it answers by method; without an entry, as a small server does. */
export interface ServerScript {
  readonly era?: 'legacy' | 'modern';
  readonly capabilities?: JsonObject;
  readonly tools?: readonly JsonObject[];
  readonly handlers?: Readonly<Record<string, Handler>>;
}

export interface ScriptedServer {
  readonly connections: ScriptedConnection[];
  open(handlers: LinkHandlers): {
    send(json: string): void;
    close(): Promise<void>;
    unsentBytes: number;
  };
}

export function scriptServer(script: ServerScript): ScriptedServer {
  const connections: ScriptedConnection[] = [];
  return {
    connections,
    open(handlers) {
      const received: RpcMessage[] = [];
      const asked = new Map<string | number, (answer: RpcMessage) => void>();
      let isOver = false;
      const end = (error: Parameters<LinkHandlers['onClose']>[0]) => {
        if (isOver) return;
        isOver = true;
        handlers.onClose(error);
      };
      const connection: ScriptedConnection = {
        received,
        send: (message) => {
          if (!isOver) handlers.onMessage(structuredClone({ jsonrpc: '2.0', ...message }));
        },
        hangUp: () => end(hungUp()),
        ask(id, method, params = {}) {
          const answer = new Promise<RpcMessage>((resolve) => asked.set(id, resolve));
          connection.send({ id, method, params });
          return answer;
        },
      };
      connections.push(connection);
      return {
        unsentBytes: 0,
        send(json) {
          const message = JSON.parse(json) as RpcMessage;
          received.push(message);
          queueMicrotask(() => {
            if (message.method === undefined) asked.get(message.id ?? '')?.(message);
            else serve(script, message, connection);
          });
        },
        async close() {
          end(stopped());
        },
      };
    },
  };
}

/** Differs in each hub, as it does in each run of the daemon. */
let count = 0;
const countedBytes = (bytes: number) => new Uint8Array(bytes).fill(++count);

const hungUp = () => new CallError('network', 'It hung up.');
const stopped = () => new CallError('interrupted', 'It was stopped.');

function serve(script: ServerScript, message: RpcMessage, connection: ScriptedConnection): void {
  const { id, method = '' } = message;
  const handler = script.handlers?.[method];
  if (handler) return handler(message, connection);
  if (id === undefined) return;
  const { era = 'legacy', capabilities = { tools: { listChanged: true } } } = script;
  const answer = (result: object) => connection.send({ id, result });
  const serverInfo = { name: 'scripted', version: '1.0.0' };
  if (method === 'initialize' && era === 'legacy') {
    return answer({ protocolVersion: '2025-11-25', capabilities, serverInfo });
  }
  if (method === 'server/discover' && era === 'modern') {
    return answer({ supportedVersions: ['2026-07-28'], capabilities, serverInfo });
  }
  if (method === 'tools/list') return answer({ tools: script.tools ?? [] });
  if (method === 'subscriptions/listen') return;
  connection.send({ id, error: { code: -32601, message: 'Method not found' } });
}

export interface TestHub extends TestCalls {
  readonly hub: ConfiguredHub;
  readonly ongoing: OngoingCalls;
  close(): Promise<void>;
}

export interface TestHubOptions extends Pick<
  TestCallsOptions,
  'manager' | 'agents' | 'registry' | 'clock' | 'store' | 'limits'
> {
  /** A bug between the hub and its connections. */
  readonly connection?: (connection: Connection) => Connection;
  readonly config?: Readonly<Record<string, Partial<UpstreamConfig>>>;
  readonly tools?: Parameters<typeof createTestCalls>[0];
  /** Whether all servers are connected first; default: `awaited`. */
  readonly start?: 'awaited' | 'in_background';
  readonly random?: Random;
  readonly tracer?: Tracer;
  /** What an earlier run left. */
  readonly stored?: Map<string, Json>;
  /** What an earlier run pinned. */
  readonly pins?: PinStore;
}

const LIMITS = { queue: 256, maxMessageBytes: 1_000_000, maxToolsPerServer: 1_000 };

const NO_TRACER: Tracer = {
  isOff: true,
  span: async (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set() {} }),
};

const CONFIG: UpstreamConfig = {
  type: '',
  command: 'scripted',
  args: [],
  env: {},
  cwd: '',
  url: '',
  headers: {},
  disabled: false,
  disabledTools: [],
  shared: true,
  scan: 'block',
  sampling: 'deny',
  protocol: 'auto',
  startTimeoutMs: 60_000,
  callTimeoutMs: 300_000,
  idleStopMs: 0,
  maxConcurrent: 16,
};

/** The hub with servers in memory, and calls as the daemon has them, until the test ends. */
export async function createTestHub(
  servers: Readonly<Record<string, ScriptedServer>>,
  options: TestHubOptions = {},
): Promise<TestHub> {
  const hub = await openTestHub(servers, options);
  onTestFinished(() => hub.close());
  return hub;
}

/** The same until it is closed. */
export async function openTestHub(
  servers: Readonly<Record<string, Pick<ScriptedServer, 'open'>>>,
  options: TestHubOptions = {},
): Promise<TestHub> {
  const { random = countedBytes } = options;
  const test = createTestCalls(options.tools ?? [], options);
  const { clock, log, registry, content } = test;
  const configs = new Map(
    Object.keys(servers).map((name) => [name, { ...CONFIG, ...options.config?.[name] }]),
  );
  const { connection: plant = (connection: Connection) => connection } = options;
  const connect: ConnectUpstream = async (about, handlers) => {
    const { server, config, knownEra, maxMessageBytes, isShared, signal } = about;
    const opened = await openLinkConnection(
      {
        server,
        protocol: config.protocol,
        knownEra,
        capabilities: connectionCapabilities(config, isShared),
        signal,
        timeoutMs: config.startTimeoutMs,
        maxMessageBytes,
        clock,
        open: async (link) => {
          const found = servers[server];
          if (!found) throw new CallError('network', 'There is no such server.');
          return found.open(link);
        },
      },
      handlers,
    );
    return plant(opened);
  };
  const stored = options.stored ?? new Map<string, Json>();
  const settings: SettingStore = {
    get: async (key) => stored.get(key),
    set: async (key, value) => void stored.set(key, value),
    keep: async (key, value) => {
      const kept = stored.get(key) ?? value;
      stored.set(key, kept);
      return kept;
    },
    delete: async (key) => void stored.delete(key),
  };
  const hub = createHub({
    connect,
    cache: createCatalogueCache(settings),
    pins: {
      store: options.pins ?? pinsInMemory(),
      servers: () => peersOf(hub),
    },
    limits: LIMITS,
    clock,
    random,
    log,
    onResourceUpdated: (server, uri) => content.notifyUpdated(serverUri(server, uri)),
  });
  const ongoing = createOngoingCalls({ clock, random });
  const optionsOf = (upstream: Upstream) => {
    const config = configs.get(upstream.name);
    return config && { upstream, config, tracer: options.tracer ?? NO_TRACER, ongoing };
  };
  const passThrough = createPassThrough({
    hub,
    settings,
    limits: LIMITS,
    clock,
    log,
    optionsOf,
    identityOf: (server) => server,
    put: (server, passed) => content.put(`hub:${server}`, passed),
  });
  content.put('hub', { resolve: passThrough.resolve });
  hub.onChange((change: UpstreamChange | 'listed', upstream) => {
    const config = configs.get(upstream.name);
    const about = optionsOf(upstream);
    if (config && about && (change === 'tools' || change === 'listed')) {
      const more = { config, onLink: passThrough.noteLink };
      registry.put(`hub:${upstream.name}`, toUpstreamTools(upstream, { ...about, ...more }));
    }
    if (change === 'listed') passThrough.changed(upstream);
  });
  await hub.configure(
    new Map([...configs].map(([name, config]) => [name, { config, missingVariables: [] }])),
  );
  const connected = hub.connectUnknown();
  if (options.start !== 'in_background') await connected;
  return {
    ...test,
    hub,
    ongoing,
    async close() {
      passThrough.close();
      ongoing.close();
      await hub.close();
    },
  };
}

/** The id of the last `tools/call`, or of another request. */
export function lastRequest({ received }: ScriptedConnection, method = 'tools/call'): RpcMessage {
  const found = received.findLast((message) => message.method === method);
  if (!isObject(found)) throw new Error(`There is no ${method}.`);
  return found;
}
