import { join } from 'node:path';
import { decide } from '#calls/decide.ts';
import { userFolder } from '#config/home.ts';
import { keepToken } from '#config/keep-token.ts';
import { checkOwnerToken } from '#config/owner-token.ts';
import type { LoadedConfig } from '#config/load.ts';
import type { Manager } from '#core/ask.ts';
import type { Embedder } from '#core/embed.ts';
import type { NewId } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import type { Tool } from '#core/tool.ts';
import { jobUri } from '#core/jobs.ts';
import { matchesWildcard } from '#core/wildcard.ts';
import type { Budgets } from '#manager/budget-words.ts';
import { createWorkspace } from '#files/create-workspace.ts';
import { toolFacts } from '#manager/tool-sets.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import { createThreads } from '#threads/create-threads.ts';
import { gatewayOperations } from '#tools/gateway/index.ts';
import { builtinTools } from '#tools/index.ts';
import { JOBS_URI } from '#tools/jobs/job-resource.ts';
import { jobMaterials } from '#tools/jobs/materials.ts';
import type { Catalogue } from '#tools/materials/catalogue.ts';
import { createChanges, tellingEmbedder, tellingManager } from '#tools/materials/changes.ts';
import { builtinMaterials } from '#tools/materials/index.ts';
import { TOOL_INDEX_URI } from '#tools/materials/tool-index.ts';
import { createAccessAdmin } from './access-admin.ts';
import { createClientSettings } from './client-settings.ts';
import { addConformanceKit } from './conformance.ts';
import { diagnose } from './doctor/doctor.ts';
import type { Doors } from './doors.ts';
import { createEngine, type Engine } from './engine.ts';
import { explainedOperation } from './explain-operation.ts';
import { exaiHealth } from './exai-health.ts';
import { portTakenWarning, warningWords } from './listening-words.ts';
import { createOps } from './ops.ts';
import { ownMethods } from './own-methods.ts';
import { ownToken } from './own-token.ts';
import { createPeerUser } from './peer-user.ts';
import { localTarget } from './own-url.ts';
import { refreshModels } from './refresh-models.ts';
import { requestStateKey } from './request-state-key.ts';
import { rotateTokenMethod } from './rotate-token.ts';
import type { System } from './system.ts';
import type { Telemetry } from './telemetry.ts';
import { usageMethods } from './usage.ts';
import { VERSION } from './version.ts';

export interface EngineParts {
  readonly loaded: LoadedConfig;
  readonly system: System;
  /** The address it listens on. */
  readonly host: string;
  readonly store: Store;
  /** Where the store is, for people. */
  readonly storedIn: string;
  readonly newId: NewId;
  readonly telemetry: Telemetry;
  readonly instance: string;
  readonly startedAtMs: number;
  /** Nothing before they are open. */
  readonly doors: () => Doors | undefined;
  readonly requestStop: (reason: string) => void;
  /** What the owner should know about this daemon, a sentence each. */
  readonly notices?: readonly string[];
  /** Models and the providers that have them. */
  readonly desk: ModelDesk;
  readonly manager: Manager;
  /** Nobody makes embeddings without it. */
  readonly embedder?: Embedder;
  /** What may still be spent; nothing where nobody counts. */
  readonly budgets?: Pick<Budgets, 'left'>;
  readonly breakers?: Pick<Breakers, 'all'>;
  /** What it has beyond its own tools and materials. */
  readonly extra?: Extra;
}

/** `conformance`: the fixtures of MCP's conformance suite. */
export type Extra = 'conformance';

/** The engine of this machine's daemon, with its tools and what the command line may ask of it. */
export async function buildEngine(parts: EngineParts): Promise<Engine> {
  const { loaded, system, host, store, newId, telemetry, startedAtMs, doors } = parts;
  const { clock, random } = system;
  const { log, metrics, tracer } = telemetry;
  const clientSettings = createClientSettings(loaded);
  /** What its user should know about it. */
  const standing = () => {
    const { portTaken, bound } = doors() ?? {};
    const port = portTaken ? [warningWords(portTakenWarning(portTaken, bound?.url))] : [];
    return [...(parts.notices ?? []), ...port];
  };
  const notices = () => [...standing(), ...clientSettings.notices()];
  const connections = () => doors()?.connections() ?? 0;
  const changes = createChanges((uri, principal) => engine.library.touch(uri, principal), clock);
  const manager = tellingManager(parts.manager, changes.used);
  telemetry.onLine?.(changes.logWritten);

  const engine: Engine = createEngine({
    config: loaded.config,
    store,
    clock,
    random,
    newId,
    log,
    metrics,
    tracer,
    version: VERSION,
    among: loaded.config.database === '' ? 'alone' : 'others',
    stateKey: await requestStateKey(store.settings, random),
    tokens: {
      ...(await ownToken(loaded, host, store.clients, { log, random })),
      peerUser: createPeerUser(),
      checkToken: (token) => checkOwnerToken(token, 'new'),
      keepToken: (token) => keepToken(loaded, token),
    },
    local: {
      instance: parts.instance,
      userFolder: userFolder(loaded.sources.env),
      settingsLacking: (theirs) => [...standing(), ...clientSettings.arrived(theirs)],
      settingsGone: (theirs) => clientSettings.left(theirs),
      requestStop: parts.requestStop,
    },
    manager,
    exai: { health: () => exaiHealth(engine.calls, connections(), startedAtMs, clock) },
  });

  const ops = createOps({
    loaded,
    store,
    storedIn: parts.storedIn,
    calls: () => engine.calls,
    connections,
    endpoint: () => doors()?.bound?.url,
    listener: () => localTarget(doors()?.bound ?? {}),
    notices,
    diagnose: () => diagnose(loaded.sources, system),
    desk: parts.desk,
    ...(parts.budgets && { budgets: parts.budgets }),
    ...(parts.breakers && { breakers: parts.breakers }),
    clock,
  });
  const { registry, library, calls } = engine;
  const operations = operationsOf({
    ...parts,
    ...(parts.embedder && { embedder: tellingEmbedder(parts.embedder, changes.used) }),
  });
  const threads = createThreads({
    store,
    clock,
    newId,
    maxTurns: loaded.config.threads.maxTurns,
    keptDays: loaded.config.retention.turnsDays,
    onChange: changes.threadChanged,
  });
  const catalogue: Catalogue = {
    all: () => registry.all(),
    list: (caller) => calls.list(caller),
    decide: (caller, tool) => calls.decide(caller, tool),
  };
  const jobDeps = {
    jobs: engine.jobs,
    results: engine.results,
    jobsKeptDays: loaded.config.retention.jobsDays,
    maxTokens: loaded.config.results.maxTokens,
  };
  registry.put(
    'builtin',
    builtinTools({
      ops,
      catalogue,
      desk: parts.desk,
      manager,
      find(name, caller) {
        const tool = registry.find(name);
        return tool && decide(caller, tool).verdict !== 'deny' ? tool : undefined;
      },
      threads,
      workspace: createWorkspace({
        clock,
        allowedDirs: loaded.config.allowedDirs,
        privateDirs: [loaded.home.root],
        userFolder: userFolder(loaded.sources.env),
        surroundings: loaded.sources.env,
        scratchDir: join(loaded.home.cacheDir, 'git'),
      }),
      ...jobDeps,
      clock,
      locale: loaded.config.locale,
      operation: (name, caller) => explainedOperation(library, name, caller),
      toolFacts,
      suggest: (name, caller) =>
        registry.suggest(name, (tool) => decide(caller, tool).verdict !== 'deny'),
    }),
  );
  const kept = {
    listed: registry.listed(),
    desk: parts.desk,
    threads,
    usage: store.usage,
    clock,
    others: [jobMaterials(jobDeps)],
  };
  library.put('builtin', { ...builtinMaterials(ops, catalogue, kept), operations });
  registry.onChange(() => library.touch(TOOL_INDEX_URI));
  engine.jobs.onChange(({ id, principal, what }) => {
    library.touch(jobUri(id), principal);
    if (what === 'status') library.touch(JOBS_URI, principal);
  });
  if (parts.extra === 'conformance') await addConformanceKit(engine, clock);

  const access = createAccessAdmin({
    clients: store.clients,
    revoke: (id) => engine.doorman.revoke(id),
    decide: (caller, tool) => engine.calls.decide(caller, tool),
    find: (tool) => engine.calls.find(tool) ?? engine.library.operation(tool)?.tool,
    tools: () => [...engine.registry.all(), ...operations],
    newId,
    random,
    clock,
    log,
  });
  engine.addMethods(
    ownMethods({
      access,
      allTools: () => engine.registry.all(),
      notices,
    }),
  );
  engine.addMethods(rotateTokenMethod(engine.doorman, random));
  engine.addMethods(refreshModels(parts.desk, clock));
  engine.addMethods(usageMethods(store.usage, ops));
  return engine;
}

/** Of the doors that are open, and without what the settings take away. */
function operationsOf({ loaded: { config }, desk, embedder }: EngineParts): readonly Tool[] {
  const { gateway, fallback, tools } = config;
  if (!gateway.enabled) return [];
  const all = gatewayOperations({
    desk,
    ...(embedder && { embedder }),
    timeoutMs: gateway.timeoutMs,
    models: gateway.models,
    quotes: fallback.local === 'always' ? 'always' : 'as_asked',
  });
  const isTakenAway = ({ name }: Tool) =>
    tools.disabled.some((pattern) => matchesWildcard(name, pattern));
  return all.filter((tool) => !isTakenAway(tool));
}
