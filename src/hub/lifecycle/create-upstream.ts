import { hash } from 'node:crypto';
import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { transportOf, type UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { UpstreamEra, UpstreamInfo, UpstreamState } from '#core/hub/upstream-state.ts';
import type { Caller } from '#core/calls/call.ts';
import type {
  ServerRequest,
  Upstream,
  UpstreamChange,
  UpstreamContext,
  UpstreamRequest,
  UpstreamTool,
} from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Clock } from '#core/time/clock.ts';
import type { CatalogueCache } from '../catalogue/catalogue-cache.ts';
import { createCatalogueFollower } from '../catalogue/follow-catalogue.ts';
import type { ToolReviewDeps } from '../pins/review-tools.ts';
import { HUB_CALLER } from '../hub-caller.ts';
import type { Logins } from '../login/create-logins.ts';
import { loginPrincipal, waitsForLogin } from '../login/login-principal.ts';
import type { Connection, ConnectionHandlers } from '../connection/connection.ts';
import { rootsOf } from '../input/server-request.ts';
import { createCallSlots } from './call-slots.ts';
import { clearCall } from './clear-call.ts';
import { createUpstreamSession, type UpstreamSession } from './upstream-session.ts';
import { createUpstreamLog } from './upstream-log.ts';

/** An entry of `mcpServers` with what is wrong with it. */
export interface UpstreamEntry {
  readonly config: UpstreamConfig;
  /** Variables that it refers to and that are not set. */
  readonly missingVariables: readonly string[];
}

/** Connects to a server; the real one is `connect.ts`, and the simulator has its own. */
export type ConnectUpstream = (
  about: {
    readonly server: string;
    readonly config: UpstreamConfig;
    readonly knownEra: UpstreamEra | undefined;
    readonly maxMessageBytes: number;
    /** Whether calls of several callers go over it. */
    readonly isShared: boolean;
    /** Whose login it uses: that of its caller, or of the owner where callers share it. */
    readonly principal: string;
    readonly onStderr: (line: string) => void;
    readonly signal: AbortSignalLike;
  },
  handlers: ConnectionHandlers,
) => Promise<Connection>;

export interface UpstreamDeps {
  readonly connect: ConnectUpstream;
  readonly cache: CatalogueCache;
  readonly pins: ToolReviewDeps;
  /** Read at each use. */
  readonly limits: {
    readonly queue: number;
    readonly maxMessageBytes: number;
    readonly maxToolsPerServer: number;
  };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A resource that was subscribed to has changed. */
  readonly onResourceUpdated?: (server: string, uri: string) => void;
  readonly logins?: Pick<Logins, 'status'>;
}

/** A server of `mcpServers`, whose settings may change while it runs. */
export interface ConfiguredUpstream extends Upstream {
  /** Applies settings that do not concern its connections. */
  update(entry: UpstreamEntry): void;
  /** Compares the tools with the pins again. */
  reconsider(): Promise<void>;
  /** When a login was made, connections that wait for one no longer wait. */
  loginChanged(change: 'needed' | 'changed'): void;
  /** Uses what is stored of an earlier connection. */
  loadCatalogue(): Promise<void>;
}

/** Connections for different callers; more would be a program for each of many clients. */
const MAX_SESSIONS = 32;
const FAULTS_PER_MINUTE = 6;
const RETRY_MS = 1_000;
/** The key of the connection that all callers share. */
const SHARED = '';

/** What of the settings a connection depends on; a change of it needs another connection. */
export function identityOf({ config }: UpstreamEntry): string {
  const { type, command, args, env, cwd, url, headers, protocol, shared, sampling } = config;
  const common = [type, command, args, env, cwd, url, headers, protocol, shared, sampling];
  // A digest, as it is stored and variables and headers may be secrets.
  const { login = 'auto', clientId = '', clientSecret, clientKey } = config;
  const client =
    login === 'auto' && clientId === '' ? [] : [login, clientId, clientSecret, clientKey];
  return hash('sha256', JSON.stringify([...common, config.composio, ...client]));
}

export function createUpstream(
  name: string,
  first: UpstreamEntry,
  deps: UpstreamDeps,
): ConfiguredUpstream {
  const { clock, limits } = deps;
  let entry = first;
  const log = deps.log.with({ server: name });
  const logFault = createRateLimitedLog(log, clock, FAULTS_PER_MINUTE);
  const lines = createUpstreamLog(clock);
  const listeners = new Set<(change: UpstreamChange, upstream: Upstream) => void>();
  const sessions = new Map<string, UpstreamSession>();
  let lastUsed: UpstreamSession | undefined;
  let isClosed = false;
  /** Set when the server asked something and it could not be told whose call that was for. */
  let needsOwnConnections = false;

  const slots = createCallSlots({
    server: name,
    maxConcurrent: () => entry.config.maxConcurrent,
    queue: () => limits.queue,
  });
  const notify = (change: UpstreamChange) => {
    for (const listener of listeners) listener(change, upstream);
  };
  const catalogue = createCatalogueFollower({
    server: name,
    transport: transportOf(first.config) ?? 'stdio',
    identity: identityOf(first),
    ...deps,
    scanPolicy: () => entry.config.scan,
    additions: first.config.composio ? 'pin' : 'quarantine',
    log,
    onChange: () => notify('tools'),
  });

  const isShared = () => entry.config.shared && !needsOwnConnections;

  /** What a server asks outside of calls. On a connection of one caller it may know the folders. */
  function answerServer(
    request: ServerRequest,
    about: 'idle' | 'ambiguous',
    caller: Caller | undefined,
  ): Promise<JsonObject> | undefined {
    if (request.method === 'roots/list' && caller)
      return Promise.resolve(rootsOf(caller) ?? NO_ROOTS);
    if (about === 'ambiguous' && isShared()) {
      needsOwnConnections = true;
      lines.add('hub', `${request.method} of several callers: from now on each has a connection`);
      log.info('upstream_connections_split', { method: request.method });
    }
    return undefined;
  }

  function openSession(caller: Caller | undefined): UpstreamSession {
    return createUpstreamSession({
      server: name,
      clock,
      random: deps.random,
      idleStopMs: () => entry.config.idleStopMs,
      open: (handlers, signal) =>
        deps.connect(
          {
            server: name,
            config: entry.config,
            knownEra: catalogue.info()?.era,
            maxMessageBytes: limits.maxMessageBytes,
            isShared: caller === undefined,
            principal: loginPrincipal(entry.config, caller),
            onStderr: (line) => lines.add('stderr', line),
            signal,
          },
          handlers,
        ),
      handlers: {
        onListChanged: (list) => (list === 'tools' ? catalogue.listChanged() : notify(list)),
        onResourceUpdated: (uri) => deps.onResourceUpdated?.(name, uri),
        onServerRequest: (request, about) => answerServer(request, about, caller),
        onFault(fault, detail) {
          lines.add('hub', detail === undefined ? fault : `${fault}: ${detail}`);
          logFault('upstream_fault', { fault });
        },
      },
      onState: () => notify('state'),
      onConnected(connection) {
        const { era, protocolVersion } = connection.info;
        log.info('upstream_connected', { era, version: protocolVersion });
        lines.add('hub', `connected: MCP ${protocolVersion}`);
        catalogue.connected(connection);
      },
      onDisconnected: (connection) => catalogue.disconnected(connection),
      onFailure(error) {
        lines.add('hub', error.message);
        log.warn('upstream_failed', { error: error.toJSON() });
      },
    });
  }

  function sessionOf({ caller }: Pick<UpstreamContext, 'caller'>): UpstreamSession {
    // Lists are the same over every connection, so none is opened for them alone.
    if (caller === HUB_CALLER && lastUsed?.state().is === 'connected') return lastUsed;
    const key = isShared() ? SHARED : ownerOf(caller);
    let session = sessions.get(key);
    if (!session) {
      if (sessions.size >= MAX_SESSIONS) dropIdleSession();
      session = openSession(key === SHARED ? undefined : caller);
      sessions.set(key, session);
    }
    lastUsed = session;
    return session;
  }

  function dropIdleSession(): void {
    for (const [key, session] of sessions) {
      if (!session.isIdle) continue;
      sessions.delete(key);
      void session.stop();
      return;
    }
    const max = MAX_SESSIONS;
    throw codedError('over_capacity', reason('server_connections_full', { server: name, max }), {
      retryAfterMs: RETRY_MS,
      fixes: [fix('retry')],
    });
  }

  /** Why it cannot be used at all; undefined if it can. */
  function disabledBy(): Reason | undefined {
    const server = name;
    const { config, missingVariables: variables } = entry;
    if (config.disabled) return reason('server_disabled', { server });
    if (variables.length > 0) return reason('server_variables_missing', { server, variables });
    return transportOf(config) ? undefined : reason('server_settings_unclear', { server });
  }

  function requireUsable(): void {
    if (isClosed) throw codedError('interrupted', reason('server_stopped', { server: name }));
    const because = disabledBy();
    if (because) throw codedError('not_configured', because);
  }

  async function use<T>(
    context: Pick<UpstreamContext, 'caller'>,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const session = sessionOf(context);
    session.hold();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      const opened = session.connection();
      const result = await work(opened instanceof Promise ? await opened : opened);
      outcome = 'answered';
      return result;
    } catch (thrown) {
      const error = CallError.from(thrown);
      // It refused the request, so it works.
      if (error.reason?.code === 'server_refused') outcome = 'answered';
      throw error;
    } finally {
      session.release(outcome);
    }
  }

  async function request(
    { method, params }: UpstreamRequest,
    context: UpstreamContext,
  ): Promise<JsonObject> {
    requireUsable();
    const slot = await slots.acquire(context);
    const { onServerRequest } = context;
    const options = {
      ...context,
      owner: ownerOf(context.caller),
      ...(onServerRequest && {
        onServerRequest: slots.withoutSlot(slot, onServerRequest, context),
      }),
    };
    const send = (connection: Connection) => {
      const { disabledTools } = entry.config;
      const called = { name, disabledTools };
      const clearance = clearCall(called, catalogue, connection, { method, params });
      const sendNow = () => connection.request(method, params, options);
      return clearance ? untilAborted(clearance, context.signal).then(sendNow) : sendNow();
    };
    try {
      return await use(context, send).catch((thrown: unknown) => {
        // The server did not look at the request, so it is safe to send it over a new session.
        if (CallError.from(thrown).reason?.code !== 'server_session_ended') throw thrown;
        return use(context, send);
      });
    } finally {
      slots.release(slot);
    }
  }

  async function stopAll(): Promise<void> {
    const all = [...sessions.values()];
    sessions.clear();
    await Promise.all(all.map((session) => session.stop()));
  }

  const upstream: ConfiguredUpstream = {
    name,
    get transport() {
      return transportOf(entry.config) ?? 'stdio';
    },
    state(): UpstreamState {
      const because = disabledBy();
      return because ? { is: 'disabled', because } : (lastUsed?.state() ?? { is: 'stopped' });
    },
    connections: () =>
      [...sessions.values()].filter((session) => session.state().is === 'connected').length,
    info: (): UpstreamInfo | undefined => catalogue.info(),
    tools: (): readonly UpstreamTool[] | undefined => catalogue.tools(),
    review: () => catalogue.review(),
    leftOut: () => catalogue.leftOut(),
    reconsider: () => catalogue.reconsider(),
    login: () => deps.logins?.status(name, entry.config, OWNER_PRINCIPAL) ?? 'none',
    loginChanged(change) {
      for (const session of sessions.values())
        if (change === 'changed' && waitsForLogin(session.state())) void session.stop();
      notify('state');
    },
    request,
    async connect() {
      requireUsable();
      await use({ caller: HUB_CALLER }, (connection) => catalogue.refresh(connection));
    },
    async restart() {
      await stopAll();
      lastUsed = undefined;
      notify('state');
    },
    logs: () => lines.lines(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      catalogue.close();
      await stopAll();
    },
    update(next) {
      const isScannedOtherwise = next.config.scan !== entry.config.scan;
      entry = next;
      if (isScannedOtherwise) {
        catalogue
          .reconsider()
          .catch((thrown: unknown) =>
            log.error('upstream_tools_not_checked', { error: CallError.from(thrown).toJSON() }),
          );
      }
      slots.capacityChanged();
      if (disabledBy()) void stopAll();
      notify('state');
      notify('tools');
    },
    loadCatalogue: () => catalogue.load(),
  };
  return upstream;
}

/** Waits for a check, but no longer than the call that needs it. */
function untilAborted(check: Promise<void>, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(CallError.from(signal.reason));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    check.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Callers with the same key may use one connection. */
function ownerOf({ principal, agent = '' }: Caller): string {
  return `${principal}\n${agent}`;
}

const NO_ROOTS: JsonObject = { roots: [] };
