import { userFolder } from '#config/home/home.ts';
import { checkOwnerToken, storeOwnerToken } from '#config/secrets/owner-token.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import type { UploadExchanges } from '#core/files/uploads.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { WebExchanges } from '#core/llm/web.ts';
import type { NewId } from '#core/ids.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Store } from '#core/stores/store.ts';
import { VERSION } from '#core/version.ts';
import type { Budgets } from '#manager/budget/budgets.ts';
import type { ConnectUpstream } from '#hub/lifecycle/create-upstream.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import { createThreads } from '#threads/create-threads.ts';
import {
  createResourceUpdates,
  notifyingEmbedder,
  notifyingManager,
} from '#tools/resources/resource-updates.ts';
import { createDaemonNotices } from './daemon/daemon-notices.ts';
import { diagnose } from './doctor/doctor.ts';
import type { Listeners } from './listeners/listeners.ts';
import { createEngine, type Engine } from './engine.ts';
import { exaiHealth } from './exai-health.ts';
import type { FeatureContext } from './features/context.ts';
import type { MountFeature } from './features/feature.ts';
import { createFileServices } from './files/file-services.ts';
import { createKeepContents } from '#files/intake/keep-contents.ts';
import { FEATURES } from './features/index.ts';
import { createServerNotes } from './hub/server-notes.ts';
import { mountFeatures } from './features/mount.ts';
import type { Lifecycle } from './daemon/lifecycle.ts';
import { watchSharedTokens } from './daemon/shared-tokens.ts';
import type { ModelSide } from './manager/model-side.ts';
import { CallError } from '#core/errors/call-error.ts';
import { createOps } from './diagnostics.ts';
import { resolveOwnerToken } from './daemon/owner-token.ts';
import { createWebPages } from './reading/web-pages.ts';
import { createPeerUser } from './listeners/peer-user.ts';
import { loopbackTarget } from './listeners/daemon-url.ts';
import { requestStateKey } from './request-state-key.ts';
import type { SubscribeToSettings } from './settings/running-settings.ts';
import type { System } from './system.ts';
import type { Telemetry } from './telemetry.ts';

export interface EngineParts {
  /** The current settings, read at each use as far as they may change. */
  readonly loaded: LoadedConfig;
  readonly system: System;
  /** The address that the daemon listens on. */
  readonly host: string;
  readonly store: Store;
  /** The location of the store, for display. */
  readonly storedIn: string;
  readonly newId: NewId;
  readonly telemetry: Telemetry;
  readonly instance: string;
  readonly startedAtMs: number;
  /** Undefined until the listeners are open. */
  readonly listeners: () => Listeners | undefined;
  readonly requestStop: (reason: string) => void;
  /** Notices for the owner about this daemon. */
  readonly notices?: () => readonly Notice[];
  /** Models and their providers. */
  readonly modelDirectory: ModelDirectory;
  readonly manager: Manager;
  /** Undefined: embeddings are not available. */
  readonly embedder?: Embedder;
  /** Undefined: files cannot be uploaded to providers. */
  readonly uploads?: UploadExchanges;
  /** Undefined: the web cannot be searched. */
  readonly web?: WebExchanges;
  /** Undefined: pages are not available. */
  readonly withPublicHttp?: ModelSide['withPublicHttp'];
  /** Remaining budgets; undefined if there are none. */
  readonly budgets?: Pick<Budgets, 'left'>;
  readonly breakers?: Pick<Breakers, 'all'>;
  /** Default: programs, WebSockets and HTTP. */
  readonly connectUpstream?: ConnectUpstream;
  /** Additional features, mounted after the built-in ones. */
  readonly features?: readonly MountFeature[];
  /** Drains the features at shutdown. */
  readonly lifecycle: Pick<Lifecycle, 'start'>;
  /** Undefined: nothing is logged. */
  readonly hideSecrets?: FeatureContext['hideSecrets'];
  /** Undefined: settings do not change. */
  readonly onSettingsChange?: SubscribeToSettings;
}

/** Builds the daemon's engine with every feature mounted. */
export async function buildEngine(parts: EngineParts): Promise<Engine> {
  const { loaded, system, host, store, newId, telemetry, startedAtMs, listeners } = parts;
  const { clock, random } = system;
  const { log, metrics, tracer } = telemetry;
  const notices = createDaemonNotices(loaded, parts.notices ?? (() => []), listeners);
  const connections = () => listeners()?.connections() ?? 0;
  const changes = createResourceUpdates(
    (uri, principal) => engine.content.notifyUpdated(uri, principal),
    clock,
  );
  const manager = notifyingManager(parts.manager, changes.usageChanged);
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
      ...(await resolveOwnerToken(loaded, host, store.clients, { log, random })),
      peerUser: createPeerUser(),
      checkToken: (token) => checkOwnerToken(token, 'new'),
      saveToken: (token) => storeOwnerToken(loaded, token),
    },
    local: {
      instance: parts.instance,
      userFolder: userFolder(loaded.sources.env),
      missingSettings: notices.clientArrived,
      settingsGone: notices.clientLeft,
      requestStop: parts.requestStop,
    },
    manager,
    keepContents: createKeepContents({ files: store.files, newId, clock }),
    exai: { health: () => exaiHealth(engine.calls, connections(), startedAtMs, clock) },
  });
  // What was removed stays removed, also when the clock was set back before this start.
  await engine.authenticator.refresh().catch(() => undefined);
  if (loaded.config.database !== '') {
    await parts.lifecycle.start('tokens of other daemons', {
      start: () => watchSharedTokens(engine.authenticator, clock),
      stop: (timer) => timer.stop(),
    });
  }
  const ops = createOps({
    loaded,
    store,
    storedIn: parts.storedIn,
    calls: () => engine.calls,
    connections,
    endpoint: () => listeners()?.bound?.url,
    listener: () => loopbackTarget(listeners()?.bound ?? {}),
    notices: notices.all,
    diagnose: () => diagnose(loaded.sources, system),
    modelDirectory: parts.modelDirectory,
    ...(parts.budgets && { budgets: parts.budgets }),
    ...(parts.breakers && { breakers: parts.breakers }),
    clock,
  });
  const threads = createThreads({
    store,
    clock,
    newId,
    get maxTurns() {
      return loaded.config.threads.maxTurns;
    },
    get keptDays() {
      return loaded.config.retention.turnsDays;
    },
    onChange: changes.threadChanged,
  });
  const uploads = parts.uploads ?? NO_UPLOADS;
  const { modelDirectory } = parts;
  const withPublicHttp = parts.withPublicHttp ?? refuseNetwork;
  const fileServices = createFileServices({
    loaded,
    store,
    clock,
    newId,
    uploads,
    modelDirectory,
    calls: () => engine.calls,
    withPublicHttp,
    embedder: parts.embedder,
  });
  const context: FeatureContext = {
    ...engine,
    loaded,
    store,
    clock,
    random,
    newId,
    log,
    tracer,
    serverNotes: createServerNotes(clock),
    ...(parts.connectUpstream && { connectUpstream: parts.connectUpstream }),
    modelDirectory,
    manager,
    ...(parts.embedder && { embedder: notifyingEmbedder(parts.embedder, changes.usageChanged) }),
    uploads,
    web: parts.web ?? NO_WEB,
    withPublicHttp,
    webPages: createWebPages({
      store,
      clock,
      loaded,
      withPublicHttp,
      extraction: fileServices.extraction,
    }),
    threads,
    ...fileServices,
    ops,
    notices: notices.all,
    hideSecrets: parts.hideSecrets ?? (() => undefined),
    onSettingsChange: parts.onSettingsChange ?? (() => () => undefined),
  };
  const features = [...FEATURES, ...(parts.features ?? [])];
  await mountFeatures(features, context, { ...engine, lifecycle: parts.lifecycle });
  return engine;
}

async function refuseNetwork(): Promise<never> {
  throw new CallError('not_configured', 'Web pages are not available.');
}

const NO_UPLOADS: UploadExchanges = {
  async run() {
    throw new CallError('not_configured', 'Files cannot be uploaded here.');
  },
};

const noSearch = async (): Promise<never> => {
  throw new CallError('not_configured', 'The web cannot be searched here.');
};
const NO_WEB: WebExchanges = { search: noSearch, read: noSearch, canRead: () => false };
