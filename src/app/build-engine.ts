import { userFolder } from '#config/home.ts';
import { keepToken } from '#config/keep-token.ts';
import type { LoadedConfig } from '#config/load.ts';
import { checkOwnerToken } from '#config/owner-token.ts';
import type { Manager } from '#core/ask.ts';
import type { Embedder } from '#core/embed.ts';
import type { NewId } from '#core/ids.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Store } from '#core/stores/store.ts';
import { VERSION } from '#core/version.ts';
import type { Budgets } from '#manager/budget-words.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import { createThreads } from '#threads/create-threads.ts';
import { createChanges, tellingEmbedder, tellingManager } from '#tools/materials/changes.ts';
import { createDaemonNotices } from './daemon-notices.ts';
import { diagnose } from './doctor/doctor.ts';
import type { Doors } from './doors.ts';
import { createEngine, type Engine } from './engine.ts';
import { exaiHealth } from './exai-health.ts';
import type { FeatureContext } from './features/context.ts';
import type { MountFeature } from './features/feature.ts';
import { FEATURES } from './features/index.ts';
import { mountFeatures } from './features/mount.ts';
import type { Lifecycle } from './lifecycle.ts';
import { createOps } from './ops.ts';
import { ownToken } from './own-token.ts';
import { createPeerUser } from './peer-user.ts';
import { localTarget } from './own-url.ts';
import { requestStateKey } from './request-state-key.ts';
import type { System } from './system.ts';
import type { Telemetry } from './telemetry.ts';

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
  /** What the owner should know about this daemon. */
  readonly notices?: readonly Notice[];
  /** Models and the providers that have them. */
  readonly desk: ModelDesk;
  readonly manager: Manager;
  /** Nobody makes embeddings without it. */
  readonly embedder?: Embedder;
  /** What may still be spent; nothing where nobody counts. */
  readonly budgets?: Pick<Budgets, 'left'>;
  readonly breakers?: Pick<Breakers, 'all'>;
  /** Mounted after those of every daemon; none unless given. */
  readonly features?: readonly MountFeature[];
  /** Drains the features when it stops. */
  readonly lifecycle: Pick<Lifecycle, 'start'>;
}

/** The engine of this machine's daemon, with every feature mounted. */
export async function buildEngine(parts: EngineParts): Promise<Engine> {
  const { loaded, system, host, store, newId, telemetry, startedAtMs, doors } = parts;
  const { clock, random } = system;
  const { log, metrics, tracer } = telemetry;
  const notices = createDaemonNotices(loaded, parts.notices ?? [], doors);
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
      settingsLacking: notices.clientArrived,
      settingsGone: notices.clientLeft,
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
    notices: notices.all,
    diagnose: () => diagnose(loaded.sources, system),
    desk: parts.desk,
    ...(parts.budgets && { budgets: parts.budgets }),
    ...(parts.breakers && { breakers: parts.breakers }),
    clock,
  });
  const threads = createThreads({
    store,
    clock,
    newId,
    maxTurns: loaded.config.threads.maxTurns,
    keptDays: loaded.config.retention.turnsDays,
    onChange: changes.threadChanged,
  });
  const context: FeatureContext = {
    ...engine,
    loaded,
    store,
    clock,
    random,
    newId,
    log,
    desk: parts.desk,
    manager,
    ...(parts.embedder && { embedder: tellingEmbedder(parts.embedder, changes.used) }),
    threads,
    ops,
    notices: notices.all,
  };
  const features = [...FEATURES, ...(parts.features ?? [])];
  await mountFeatures(features, context, { ...engine, lifecycle: parts.lifecycle });
  return engine;
}
