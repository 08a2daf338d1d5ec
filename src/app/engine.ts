import { createCalls } from '#calls/create-calls.ts';
import { decide } from '#calls/decide.ts';
import { createDoorman, LOCAL, type DoormanOptions, type TokenDoorman } from '#calls/doorman.ts';
import { createLibrary, type Library } from '#calls/library.ts';
import { capacityOf } from '#calls/limits.ts';
import { createRegistry, type Registry } from '#calls/registry.ts';
import { createResults, withPages } from '#calls/results.ts';
import { createStateSeal } from '#calls/request-state.ts';
import { createStanding } from '#calls/standing.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import type { Config } from '#config/config.schema.ts';
import type { Manager } from '#core/ask.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Jobs } from '#core/jobs.ts';
import type { Results } from '#core/results.ts';
import type { NewId } from '#core/ids.ts';
import type { Random } from '#core/random.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import { createJobs, type JobEngine } from '#jobs/create-jobs.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { createLimiter, type Limiter } from '#resilience/limiter.ts';
import { ICON } from '#tools/icon.ts';
import { withOwnMethods, type OwnMethods } from '#transport/admin/own-methods.ts';
import type { Channel, Opening, OpenSession, Session } from '#transport/channel.ts';
import { createExaiSession, type ExaiDeps } from '#transport/exai/exai-session.ts';
import type { Hello } from '#core/local-socket/handshake.ts';
import { createLocalSession, type LocalDeps } from '#transport/local/local-session.ts';
import { overChannel, type McpLine, type McpSession } from '#transport/mcp/mcp-line.ts';
import { createMcpSession, type McpAbout, type McpDeps } from '#transport/mcp/mcp-session.ts';
import { createPatience } from '#transport/mcp/patience.ts';
import { createServerFacts } from '#transport/mcp/server-facts.ts';
import { createOpenSession } from '#transport/open-session.ts';
import { uuidFrom } from './uuid.ts';

/** What the daemon is made of apart from the machine it runs on. */
export interface EngineOptions {
  readonly config: Config;
  readonly store: Pick<Store, 'calls' | 'clients' | 'jobs' | 'results'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly version: string;
  /** Whether other daemons work on the same store. */
  readonly among: 'alone' | 'others';
  readonly tokens: Pick<
    DoormanOptions,
    'token' | 'anonymous' | 'peerUser' | 'checkToken' | 'keepToken'
  >;
  readonly local: Pick<LocalDeps, 'instance' | 'userFolder' | 'settingsLacking' | 'requestStop'> & {
    /** A client whose settings were told has gone. */
    readonly settingsGone?: (settings: Hello['settings']) => void;
  };
  readonly exai: Pick<ExaiDeps, 'health'>;
  /** Whom tools ask models by. */
  readonly manager: Pick<Manager, 'ask'>;
  /** 32 bytes that every daemon of this store shares: with them it closes what calls are to remember. */
  readonly stateKey: Uint8Array;
  /** What is put around its parts, to look at them or to break them: the simulator does both. */
  readonly around?: {
    readonly limiter?: (real: Limiter) => Limiter;
    readonly calls?: (real: Calls) => Calls;
  };
}

export interface Engine {
  readonly registry: Registry;
  readonly library: Library;
  readonly limiter: Limiter;
  /** As doors call them: long ones become jobs, long answers are given in parts. */
  readonly calls: Calls;
  readonly jobs: Jobs;
  readonly results: Results;
  /** The life of the jobs: begun when the tools are there, stopped when the doors are closed. */
  readonly jobLife: Pick<JobEngine, 'begin' | 'drain' | 'stop'>;
  readonly doorman: TokenDoorman;
  readonly openSession: OpenSession;
  /** For doors that know before the first message that it will be MCP, and with whom. */
  openMcp(line: McpLine, about: McpAbout): McpSession;
  /** Answers these on the unix socket, beside MCP. */
  addMethods(methods: OwnMethods): void;
}

const INSTRUCTIONS =
  'EX-AI answers with the model that suits the question and goes on to the next when a provider fails; `structuredContent` says how it came about. ' +
  'To go on with an answer, give its `continuation_id` to any tool that takes one. ' +
  'Tools with `step_number` work in steps: you do the work, each answer says what to look at next, and `next_call` shows the next call. ' +
  'A call that takes long goes on as a job: the answer says so, and `job_result` gives the rest. ' +
  '`tool_help` tells all about a tool, and names those that the list leaves out, which can be called all the same. `status` shows how everything does.';

/** The daemon without its sockets, files and threads: it runs the same on simulated ones. */
export function createEngine(options: EngineOptions): Engine {
  const { config, clock, log, newId, store, version } = options;
  const { limits, door, compat } = config;
  const registry = createRegistry(config.tools);
  const library = createLibrary({ disabled: config.tools.disabled });
  const doorman = createDoorman({
    ...options.tokens,
    graceMs: config.auth.rotationGraceMs,
    clients: store.clients,
    clock,
    newId,
    log,
  });
  const { around = {} } = options;
  const limiter = within(
    around.limiter,
    createLimiter({
      capacity: (pool) => capacityOf(pool, limits),
      maxWaiting: limits.queue,
    }),
  );
  const plainCalls = within(
    around.calls,
    createCalls({
      ...options,
      registry,
      library,
      seal: createStateSeal(options.stateKey, clock),
      pageSize: config.tools.pageSize,
      limiter,
      isGood: (caller) => doorman.isGood(caller),
      store: store.calls,
      capacity: limits.global,
      retryAfterMs: limits.retryAfterMs,
      metadata: createMetadata(config, clock),
    }),
  );
  const jobLife = createJobs({
    ...config.jobs,
    keptDays: config.retention.jobsDays,
    isGood: (caller) => doorman.isGood(caller),
    standing: createStanding(store.clients, clock),
    store: store.jobs,
    calls: plainCalls,
    owner: options.local.instance,
    among: options.among,
    clock,
    newId,
    log,
  });
  const { jobs } = jobLife;
  const results = createResults({ store: store.results, countTokens: estimateTokens, log });
  const calls = withPages(jobLife.calls, results);
  const { helloTimeoutMs } = door;
  let methods: OwnMethods = {};

  const mcp: McpDeps = {
    calls,
    clock,
    log,
    facts: createServerFacts(version, INSTRUCTIONS, [ICON]),
    watching: { chars: 0 },
    jobs,
    results,
    patience: createPatience(config.jobs),
    maxTokens: config.results.maxTokens,
  };
  const openMcp = (line: McpLine, about: McpAbout) => createMcpSession(line, about, mcp);
  const exai: ExaiDeps = {
    ...options.exai,
    calls,
    doorman,
    clock,
    log,
    newUuid: () => uuidFrom(options.random(16)),
    helloTimeoutMs,
    progressIntervalMs: door.progressIntervalMs,
    inlineWaitMs: config.jobs.inlineWaitMs,
    maxTokens: config.results.maxTokens,
    compatText: compat.text,
  };
  const local: LocalDeps = {
    ...options.local,
    doorman,
    clock,
    log,
    version,
    helloTimeoutMs,
    maxLineBytes: door.maxFrameBytes,
    replay: (caller) => replayable(registry, caller),
    openMcp(channel, about) {
      const session = openMcp(overChannel(channel), { ...about, comesBack: true });
      const isOwners = about.door === 'unix' && about.caller.principal === LOCAL.principal;
      return isOwners ? withOwnMethods(channel, session, methods) : session;
    },
  };
  const openSession = createOpenSession({
    doorman,
    clock,
    helloTimeoutMs,
    protocols: {
      mcp: (channel, about) => openMcp(overChannel(channel), about),
      exai: (channel, opening) => createExaiSession(channel, opening, exai),
      local: (channel, opening) => openLocal(channel, opening, local, options.local.settingsGone),
    },
  });
  return {
    registry,
    library,
    limiter,
    calls,
    jobs,
    results,
    jobLife,
    doorman,
    openSession,
    openMcp,
    addMethods: (more) => void (methods = { ...methods, ...more }),
  };
}

function within<T>(wrap: ((real: T) => T) | undefined, real: T): T {
  return wrap ? wrap(real) : real;
}

/** Says, when a client goes, which settings went with it. */
function openLocal(
  channel: Channel,
  opening: Opening,
  deps: LocalDeps,
  settingsGone: EngineOptions['local']['settingsGone'],
): Session {
  let told: Hello['settings'] | undefined;
  const session = createLocalSession(channel, opening, {
    ...deps,
    settingsLacking: (settings) => deps.settingsLacking((told = settings)),
  });
  return {
    ...session,
    onClose() {
      session.onClose();
      if (told) settingsGone?.(told);
      told = undefined;
    },
  };
}

/** A call of these may be sent again when its answer was lost. */
function replayable(registry: Registry, caller: Caller): string[] {
  return registry
    .listed()
    .filter(({ annotations }) => annotations.readOnlyHint && annotations.idempotentHint)
    .filter((tool) => decide(caller, tool).verdict !== 'deny')
    .map(({ name }) => name);
}
