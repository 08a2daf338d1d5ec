import { createCallListeners, type CallListener } from '#calls/call-listeners.ts';
import { createCalls } from '#calls/create-calls.ts';
import { createAccess, type Access } from '#calls/access.ts';
import {
  createAuthenticator,
  createCallerResolver,
  OWNER,
  type AuthenticatorOptions,
  type TokenAuthenticator,
} from '#auth/authenticator.ts';
import { createContentRegistry, type ContentRegistry } from '#calls/content-registry.ts';
import { capacityOf } from '#calls/call-limits.ts';
import { createRegistry, type Registry } from '#calls/registry.ts';
import { createResultPaging, withResultPaging } from '#calls/result-paging.ts';
import { createStateSeal } from '#calls/request-state.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import type { Config } from '#config/schema/config.schema.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Caller } from '#core/calls/call.ts';
import { CALL_TOOL_WRITE } from '#core/tools/tool-name.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Jobs } from '#core/calls/jobs.ts';
import type { Results } from '#core/calls/results.ts';
import type { NewId } from '#core/ids.ts';
import type { Random } from '#core/random.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import { createJobEngine, type JobEngine } from '#jobs/job-engine.ts';
import type { JobsOptions } from '#jobs/job-options.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { createLimiter, type Limiter } from '#resilience/limiter.ts';
import { ICON } from '#tools/icon.ts';
import { withAdminMethods, type AdminMethods } from '#transport/admin/admin-methods.ts';
import type { Channel, ConnectionInfo, OpenSession, Session } from '#transport/channel.ts';
import { createExaiSession, type ExaiDeps } from '#transport/exai/exai-session.ts';
import type { Endpoint } from '#transport/http/endpoint-dispatcher.ts';
import type { Hello } from '#core/local-socket/handshake.ts';
import { depsOfServer, refuseServer } from './hub/server-view.ts';
import { createHandshakeSession, type HandshakeDeps } from '#transport/unix/handshake-session.ts';
import { sinkOverChannel, type McpSink, type McpSession } from '#transport/mcp/mcp-sink.ts';
import { createMcpSession, type McpContext, type McpDeps } from '#transport/mcp/mcp-session.ts';
import { createBackgroundPolicy } from '#transport/mcp/background-policy.ts';
import { createServerInfo } from '#transport/mcp/server-info.ts';
import { createOpenSession } from '#transport/open-session.ts';
import { uuidFrom } from './uuid.ts';

/** The dependencies of the engine, independent of the machine it runs on. */
export interface EngineOptions {
  /** Read at each use, as far as settings may change. */
  readonly config: Config;
  readonly store: Pick<Store, 'calls' | 'clients' | 'jobs' | 'results' | 'failure'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly version: string;
  /** Whether other daemons use the same store. */
  readonly among: 'alone' | 'others';
  readonly tokens: Pick<
    AuthenticatorOptions,
    'token' | 'anonymous' | 'peerUser' | 'checkToken' | 'saveToken'
  >;
  readonly local: Pick<
    HandshakeDeps,
    'instance' | 'userFolder' | 'missingSettings' | 'requestStop'
  > & {
    /** Called when a client that sent its settings disconnects. */
    readonly settingsGone?: (settings: Hello['settings']) => void;
  };
  readonly exai: Pick<ExaiDeps, 'health'>;
  /** Stores the files that the arguments of a job contain. */
  readonly keepContents?: JobsOptions['keepContents'];
  /** How tools ask models. */
  readonly manager: Pick<Manager, 'ask'>;
  /** 32 bytes shared by all daemons of this store, which seal the state of calls. */
  readonly stateKey: Uint8Array;
  /** Wrappers of its parts, with which the simulator observes and breaks them. */
  readonly decorate?: {
    readonly limiter?: (real: Limiter) => Limiter;
    readonly calls?: (real: Calls) => Calls;
  };
}

export interface Engine {
  readonly registry: Registry;
  readonly content: ContentRegistry;
  readonly access: Access;
  readonly limiter: Limiter;
  /** The calls for transports: long ones become jobs, long answers are paged. */
  readonly calls: Calls;
  /** Calls a listener when a call has ended; returns the unsubscribe function. */
  readonly onCallEnded: (listener: CallListener) => () => void;
  readonly jobs: Jobs;
  readonly results: Results;
  /** The job lifecycle: starts when the tools are mounted, stops when the listeners are closed. */
  readonly jobLife: Pick<JobEngine, 'begin' | 'drain' | 'stop'>;
  readonly authenticator: TokenAuthenticator;
  readonly openSession: OpenSession;
  /** Opens an MCP session for transports that know protocol and caller before the first message. */
  openMcp(line: McpSink, about: McpContext): McpSession;
  /** Adds methods of the unix socket beside MCP. */
  addMethods(methods: AdminMethods): void;
  /** HTTP endpoints of features, for the listeners. */
  readonly endpoints: readonly Endpoint[];
  addEndpoints(endpoints: readonly Endpoint[]): void;
  /** Uses changed settings, by their paths, that have no effect by being read at their next use. */
  settingsChanged(paths: readonly string[]): void;
}

const INSTRUCTIONS =
  'EX-AI picks a suitable model for each question and falls back to another when a provider fails. ' +
  'To continue from a result, pass its `continuation_id` to any tool that takes one. ' +
  'Tools with `step_number` work in steps: you do the work, each answer says what to look at next, and `next_call` shows the next call. ' +
  'A long call becomes a background job: the result says so, and `job_result` returns its result. ' +
  '`search_tools` explains every tool. `status` shows overall health.';

/** Profiles that leave tools out of the list. */
const MORE_TOOLS =
  ' There are more tools than the list shows (precommit, analyze, refactor, testgen, secaudit and others): `search_tools` finds them, `call_tool` calls those that only read';
/** For callers that may use some of the others. */
const WRITING_TOOLS = ', `call_tool_write` the rest';

/** Creates the daemon without sockets, files and threads: it runs equally on simulated ones. */
export function createEngine(options: EngineOptions): Engine {
  const { config, clock, log, newId, store, version } = options;
  const { limits, listener, compat } = config;
  const registry = createRegistry(config.tools);
  const content = createContentRegistry(config.tools);
  const access = createAccess({ registry, agents: () => config.agents });
  const authenticator = createAuthenticator({
    ...options.tokens,
    get graceMs() {
      return config.auth.rotationGraceMs;
    },
    clients: store.clients,
    clock,
    newId,
    random: options.random,
    log,
  });
  const { decorate = {} } = options;
  const limiter = applyDecorator(
    decorate.limiter,
    createLimiter({
      capacity: (pool) => capacityOf(pool, limits),
      get maxWaiting() {
        return limits.queue;
      },
    }),
  );
  const callListeners = createCallListeners(store.calls);
  const plainCalls = applyDecorator(
    decorate.calls,
    createCalls({
      ...options,
      registry,
      content,
      access,
      seal: createStateSeal(options.stateKey, clock),
      get pageSize() {
        return config.tools.pageSize;
      },
      limiter,
      isCredentialValid: (caller) => authenticator.isCredentialValid(caller),
      store: callListeners.store,
      storeFailure: () => store.failure(),
      get capacity() {
        return limits.global;
      },
      get retryAfterMs() {
        return limits.retryAfterMs;
      },
      metadata: createMetadata(config, clock),
    }),
  );
  const jobLife = createJobEngine({
    get inlineWaitMs() {
      return config.jobs.inlineWaitMs;
    },
    get timeoutMs() {
      return config.jobs.timeoutMs;
    },
    get running() {
      return config.jobs.running;
    },
    get waiting() {
      return config.jobs.waiting;
    },
    get keptDays() {
      return config.retention.jobsDays;
    },
    isCredentialValid: (caller) => authenticator.isCredentialValid(caller),
    resolveCaller: createCallerResolver(store.clients, clock),
    store: store.jobs,
    storeFailure: () => store.failure(),
    ...(options.keepContents && { keepContents: options.keepContents }),
    calls: plainCalls,
    owner: options.local.instance,
    among: options.among,
    clock,
    newId,
    log,
  });
  const { jobs } = jobLife;
  const results = createResultPaging({ store: store.results, countTokens: estimateTokens, log });
  const calls = withResultPaging(jobLife.calls, results);
  const { helloTimeoutMs } = listener;
  let methods: AdminMethods = {};
  const endpoints: Endpoint[] = [];

  const createInfo = (more: string) => createServerInfo(version, `${INSTRUCTIONS}${more}`, [ICON]);
  const infoOfAllTools = createInfo('');
  const infoOfReadingTools = createInfo(`${MORE_TOOLS}.`);
  const infoOfListedTools = createInfo(`${MORE_TOOLS}${WRITING_TOOLS}.`);
  const mcp: McpDeps = {
    calls,
    clock,
    log,
    serverInfo(caller) {
      if (config.tools.profile === 'full') return infoOfAllTools;
      const mayWrite = calls.list(caller).tools.some(({ name }) => name === CALL_TOOL_WRITE);
      return mayWrite ? infoOfListedTools : infoOfReadingTools;
    },
    watching: { chars: 0 },
    jobs,
    results,
    handoffPolicy: createBackgroundPolicy(config.jobs),
    get maxTokens() {
      return config.results.maxTokens;
    },
    get outputSchemas() {
      return config.tools.outputSchemas;
    },
  };
  const parts = { mcp, config, registry, content, access };
  const openMcp = (sink: McpSink, context: McpContext) => createMcpSession(sink, context, mcp);
  const exai: ExaiDeps = {
    ...options.exai,
    calls,
    authenticator: authenticator,
    clock,
    log,
    newUuid: () => uuidFrom(options.random(16)),
    helloTimeoutMs,
    progressIntervalMs: listener.progressIntervalMs,
    get inlineWaitMs() {
      return config.jobs.inlineWaitMs;
    },
    get maxTokens() {
      return config.results.maxTokens;
    },
    get compatText() {
      return compat.text;
    },
  };
  const local: HandshakeDeps = {
    ...options.local,
    authenticator: authenticator,
    clock,
    log,
    version,
    helloTimeoutMs,
    maxLineBytes: listener.maxFrameBytes,
    replay: (caller, server) => replayable(registry, access, caller, server),
    refuseServer: (server) => refuseServer(server, { config, registry }),
    openMcp(channel, about) {
      const context = { ...about, reconnects: true } as const;
      const sink = sinkOverChannel(channel);
      if (about.server !== undefined) {
        return createMcpSession(sink, context, depsOfServer(about.server, parts));
      }
      const session = openMcp(sink, context);
      const { principal, agent } = about.caller;
      const isOwners =
        about.transport === 'unix' && principal === OWNER.principal && agent === undefined;
      return isOwners ? withAdminMethods(channel, session, methods) : session;
    },
  };
  const openSession = createOpenSession({
    authenticator: authenticator,
    clock,
    helloTimeoutMs,
    protocols: {
      mcp: (channel, about) => openMcp(sinkOverChannel(channel), about),
      exai: (channel, opening) => createExaiSession(channel, opening, exai),
      handshake: (channel, opening) =>
        openLocal(channel, opening, local, options.local.settingsGone),
    },
  });
  return {
    onCallEnded: callListeners.onEnded,
    registry,
    content,
    access,
    limiter,
    calls,
    jobs,
    results,
    jobLife,
    authenticator,
    openSession,
    openMcp,
    addMethods: (more) => void (methods = { ...methods, ...more }),
    endpoints,
    addEndpoints: (more) => void endpoints.push(...more),
    settingsChanged(paths) {
      if (paths.some((path) => /^(?:tools|agents)\b/.test(path))) registry.refresh();
      limiter.capacityChanged();
    },
  };
}

function applyDecorator<T>(wrap: ((real: T) => T) | undefined, real: T): T {
  return wrap ? wrap(real) : real;
}

/** Reports the settings of a client when it disconnects. */
function openLocal(
  channel: Channel,
  opening: ConnectionInfo,
  deps: HandshakeDeps,
  settingsGone: EngineOptions['local']['settingsGone'],
): Session {
  let clientSettings: Hello['settings'] | undefined;
  const session = createHandshakeSession(channel, opening, {
    ...deps,
    missingSettings: (settings) => deps.missingSettings((clientSettings = settings)),
  });
  return {
    ...session,
    onClose() {
      session.onClose();
      if (clientSettings) settingsGone?.(clientSettings);
      clientSettings = undefined;
    },
  };
}

/** Tools whose calls may be repeated when the answer was lost. */
function replayable(
  registry: Registry,
  access: Access,
  caller: Caller,
  server: string | undefined,
): string[] {
  return registry
    .all()
    .filter(({ annotations }) => annotations.readOnlyHint && annotations.idempotentHint)
    .filter(({ origin }) => server === undefined || origin?.server === server)
    .filter((tool) => access.decide(caller, tool).verdict !== 'deny')
    .map(({ name, origin }) => (server === undefined ? name : (origin?.tool ?? name)));
}
