import { existsSync } from 'node:fs';
import { prepareHome } from '#config/home/home.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { ensureOwnerToken } from '#config/secrets/owner-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { createIds } from '#core/ids.ts';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { VERSION } from '#core/version.ts';
import { storeName } from '#store/store-name.ts';
import { createSecretLists } from '#telemetry/redaction/secret-list.ts';
import { probeRoutes } from '#transport/http/probe-routes.ts';
import { accountMethods } from '../admin/account-methods.ts';
import { listeningHost, needsToken } from '../listeners/bind-policy.ts';
import { buildEngine } from '../build-engine.ts';
import { checkConformanceHost, CONFORMANCE_LISTENER, conformanceFeature } from '../conformance.ts';
import { removeDaemonFile, writeDaemonFile, type DaemonRecord } from './daemon-file.ts';
import {
  checkReachable,
  openListeners,
  type Listeners,
  type ListenersOptions,
} from '../listeners/listeners.ts';
import type { MountFeature } from '../features/feature.ts';
import { ownBudgetLeft } from './own-budget-left.ts';
import { isOwner } from './is-owner.ts';
import { listenWarnings } from '../listeners/listen-warnings.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createMachineFfmpeg } from '../files/create-machine-ffmpeg.ts';
import { createPictureSupply } from '#files/pictures/create-picture-supply.ts';
import { openModelSide } from '../manager/model-side.ts';
import { pidNamespace } from './stop-daemon.ts';
import { createStopRequest } from './stop-request.ts';
import { processCpuMs, reportProcess } from '../build-info.ts';
import { STALLS_METHOD, watchLoop } from './loop-watch.ts';
import { createReadiness, READINESS_METHOD } from './readiness.ts';
import { startRetention } from './retention.ts';
import { createRetentionClock } from './retention-clock.ts';
import { reportLosses, storeNotices } from './store-notices.ts';
import { clockNotices } from './clock-notices.ts';
import { retentionMethods } from './retention-methods.ts';
import { claimHome } from './single-instance.ts';
import { createReloader, type ReloadTrigger } from '../settings/reload.ts';
import { reloadMethod } from '../settings/reload-method.ts';
import { createRunningSettings } from '../settings/running-settings.ts';
import { startStoreCheck } from './store-check.ts';
import { storePart } from '../store-part.ts';
import { startUploadRetention } from './upload-retention.ts';
import { createUploadRun } from '../files/upload-run.ts';
import type { System } from '../system.ts';
import { startTelemetry, type Telemetry } from '../telemetry.ts';
import { loadTls, watchTls, type LoadedTls } from '../listeners/tls-files.ts';

export interface Daemon {
  readonly record: DaemonRecord;
  readonly telemetry: Telemetry;
  /** Resolves with the reason when an authorised client requests a stop. */
  readonly stopRequested: Promise<string>;
  /** Finishes the running calls, then stops every part in reverse order; resolves with those that hang. */
  stop(reason: string): Promise<readonly string[]>;
  /** Loads the settings again. Failures are logged, and the settings stay as they are. */
  reload(by: ReloadTrigger): Promise<void>;
}

export interface DaemonOptions {
  /** Default `configured`. */
  readonly port?: ListenersOptions['port'];
  /** The fixtures of MCP's conformance suite. */
  readonly extra?: 'conformance';
  /** Additional features, mounted after the built-in ones. */
  readonly features?: readonly MountFeature[];
}

/**
 * Starts the daemon (the composition root). If a part fails to start, the parts before it are
 * stopped.
 */
export async function startDaemon(
  initial: LoadedConfig,
  system: System,
  options: DaemonOptions = {},
): Promise<Daemon> {
  const lifecycle = createLifecycle(system.clock);
  const finalEvent: FinalEvent = { event: 'daemon_not_started' };
  try {
    return await startParts(lifecycle, initial, system, options, finalEvent);
  } catch (thrown) {
    finalEvent.error = CallError.from(thrown);
    await lifecycle.stop(() => undefined);
    throw thrown;
  }
}

/** The last event of the log. */
interface FinalEvent {
  event: 'daemon_not_started' | 'daemon_stopped';
  error?: CallError;
}

/** Starts every part, in order. */
async function startParts(
  lifecycle: Lifecycle,
  initial: LoadedConfig,
  system: System,
  { port = 'configured', extra, features = [] }: DaemonOptions,
  finalEvent: FinalEvent,
): Promise<Daemon> {
  const { home } = initial;
  const { clock, random } = system;
  const startedAtMs = clock.now();
  const newId = createIds(clock, random);
  // Checked before anything is created, so that invalid settings leave no trace.
  if (extra === 'conformance') checkConformanceHost(initial.config.host);
  checkReachable(initial.config.port, home.socketFile);
  const host =
    initial.config.port === 'off'
      ? '127.0.0.1'
      : listeningHost(initial.config, initial.origins.get('token'));
  const tls = initial.config.port === 'off' ? undefined : loadTls(initial.config.tls, clock.now());
  prepareHome(home);
  const claim = await lifecycle.start('lock', {
    start: () => claimHome(home, clock, port === 'any_free' ? TAKEOVER_WAIT_MS : 0),
    stop: (held) => held.release(),
  });
  const wasUsedBefore = existsSync(home.writerIdFile);
  const settings = createRunningSettings(ensureOwnerToken(initial, random));
  const loaded = settings.live;
  const { config } = loaded;
  const secrets = createSecretLists(secretValues(config));
  const telemetry = await lifecycle.start('telemetry', {
    start: () => startTelemetry(loaded, system, secrets.texts),
    stop: (part) => part.stop(),
  });
  const { log, metrics, tracer } = telemetry;
  // Stopped right before the log, so that its event is the last line.
  await lifecycle.start('last word', {
    start: () => undefined,
    stop() {
      const { event, error } = finalEvent;
      if (error) log.error(event, { error: error.toJSON() });
      else log.info(event);
    },
  });
  const { leftBy } = claim;
  if (leftBy) {
    log.warn('previous_daemon_killed', { pid: leftBy.pid, started_at: leftBy.startedAt });
  }
  for (const each of loaded.notices)
    log.warn('config_notice', { code: each.code, notice: baseRenderer.notice(each) });
  const isTokenNew = initial.config.token === '' && config.token !== '';
  if (isTokenNew) log.info('owner_token_generated', { file: home.envFile });
  // For a home whose earlier daemons required no token.
  const notices =
    isTokenNew && wasUsedBefore ? [notice('token_generated', { file: home.envFile })] : [];
  for (const each of notices) system.warn(baseRenderer.notice(each));
  if (!needsToken(config)) {
    log.info('token_not_required', { host });
    system.warn(NO_TOKEN);
  }
  if (extra === 'conformance') log.warn('conformance_fixtures_on');

  const store = await lifecycle.start('store', storePart(loaded, { clock, newId, random, log }));
  await reportLosses(store, startedAtMs, { config, home, system, newId });
  const retentionClock = createRetentionClock({ store, clock, log });
  await lifecycle.start('retention', {
    start: () => startRetention({ store, policy: config.retention, retentionClock, clock, log }),
    stop: (part) => part.stop(),
  });
  await lifecycle.start('store check', {
    start: () => startStoreCheck(store, clock),
    stop: (part) => part.stop(),
  });
  await lifecycle.start('process metrics', {
    start: () => reportProcess(metrics, startedAtMs),
    stop: (part) => part.stop(),
  });

  const readiness = createReadiness(store, () => claim.isIntact(), clock, log);
  await lifecycle.start('readiness', {
    start: () => readiness.watch(),
    stop: (timer) => timer.stop(),
  });

  const models = await lifecycle.start('models', {
    start: () =>
      openModelSide({
        config: settings.current().config,
        store,
        clock,
        random,
        telemetry,
        pictureSupply: createPictureSupply(createMachineFfmpeg(loaded, clock)),
        secrets: secrets.texts,
      }),
    stop: (part) => part.close(),
  });

  await lifecycle.start('upload retention', {
    start: () =>
      startUploadRetention({
        uploads: createUploadRun({
          uploads: models.uploads,
          modelDirectory: models.modelDirectory,
          clock,
          newId,
        }),
        files: store.files,
        days: () => settings.current().config.retention.filesDays,
        retentionClock,
        clock,
        log,
      }),
    stop: (part) => part.stop(),
  });

  const instance = Buffer.from(random(8)).toString('hex');
  const storedIn = storeName({ database: config.database, dataDir: home.dataDir });
  const stop = createStopRequest();
  let listeners: Listeners | undefined;
  const engine = await buildEngine({
    loaded,
    system,
    host,
    store,
    storedIn,
    newId,
    telemetry,
    instance,
    startedAtMs,
    listeners: () => listeners,
    requestStop: (reason) => stop.request(reason),
    notices: () => [
      ...notices,
      ...storeNotices(store, clock, home),
      ...clockNotices(retentionClock),
    ],
    modelDirectory: models.modelDirectory,
    manager: models.manager,
    embedder: models.embedder,
    uploads: models.uploads,
    web: models.web,
    budgets: models.budgets,
    breakers: models.breakers,
    withPublicHttp: (work) => models.withPublicHttp(work),
    features: extra === 'conformance' ? [...features, conformanceFeature] : features,
    lifecycle,
    hideSecrets: (texts) => secrets.tokens.add(texts),
    onSettingsChange: (listener) => settings.onChange(listener),
  });

  const loopWatch = await lifecycle.start('loop watch', {
    start: () =>
      watchLoop({
        clock,
        log,
        metrics,
        cpuMs: processCpuMs,
        tools: () => engine.calls.load().tools ?? [],
      }),
    stop: (part) => part.stop(),
  });

  const reloader = await lifecycle.start('reload', {
    start: () =>
      createReloader({
        settings,
        models,
        secrets: secrets.settings,
        onApplied: (paths) => engine.settingsChanged(paths),
        calls: store.calls,
        clock,
        newId,
        log,
      }),
    stop: (part) => part.close(),
  });

  await lifecycle.start('jobs', {
    start: () => engine.jobLife.begin(),
    stop: () => engine.jobLife.stop(),
  });

  const routes = probeRoutes({
    version: VERSION,
    instance,
    pid: process.pid,
    uptimeS: () => Math.floor((clock.now() - startedAtMs) / 1000),
    readiness: () => readiness.check(),
    metricsText: () => metrics.text(),
  });
  const { drainMs } = config.shutdown;
  listeners = await lifecycle.start('doors', {
    start: () =>
      openListeners({
        config: {
          ...config,
          host,
          listener: extra ? { ...config.listener, ...CONFORMANCE_LISTENER } : config.listener,
        },
        port: loaded.origins.get('port')?.kind === 'default' ? port : 'configured',
        tls,
        socketFile: home.socketFile,
        isLockIntact: () => claim.isIntact(),
        engine,
        responses: store.responses,
        files: store.files,
        budgetLeftMicroUsd: (principal) => ownBudgetLeft(principal, models.budgets),
        http: {
          routes,
          isTrusted: (token, connection) => isOwner(engine.authenticator, token, connection),
        },
        clock,
        random,
        newId,
        log,
        metrics,
        tracer,
      }),
    // Calls and jobs that cannot be resumed have the same time, whether their callers wait or not.
    async stop(open) {
      const withinMs = stop.isUrgent() ? 0 : drainMs;
      await Promise.all([open.drain(withinMs), engine.jobLife.drain(withinMs)]);
    },
    drainMs,
    stopWithinMs: CUTTING_MS,
  });

  engine.addMethods({
    [READINESS_METHOD]: () => readiness.check(),
    [STALLS_METHOD]: async () => loopWatch.report(),
    ...stop.methods(engine.calls),
    ...accountMethods(loaded, models),
    ...retentionMethods({
      store,
      policy: () => settings.current().config.retention,
      retentionClock,
      clock,
      log,
    }),
    ...reloadMethod(reloader, settings),
  });
  const record: DaemonRecord = {
    ...listeners.bound,
    ...(listeners.portTaken && { portTaken: listeners.portTaken }),
    pid: process.pid,
    version: VERSION,
    startedAt: new Date(startedAtMs).toISOString(),
    node: process.version,
    instance,
    pidNamespace: pidNamespace(),
    storedIn,
    gateway: config.gateway.enabled && listeners.bound ? 'on' : 'off',
  };
  await lifecycle.start('daemon file', {
    start: () => writeDaemonFile(home.daemonFile, record),
    stop: () => removeDaemonFile(home.daemonFile),
  });
  await reloader.reloadIfChanged('start');
  if (tls) {
    const onRenewed = (renewed: LoadedTls) =>
      writeDaemonFile(home.daemonFile, { ...record, ...listeners?.renewTls(renewed) });
    await lifecycle.start('certificate', {
      start: () => watchTls({ files: config.tls, clock, log, onRenewed }),
      stop: (timer) => timer.stop(),
    });
  }
  for (const { message } of listenWarnings(record)) log.warn('listening_warning', { message });
  log.info('daemon_started', {
    url: record.url ?? home.socketFile,
    pid: record.pid,
    version: VERSION,
    node: record.node,
  });

  return {
    record,
    telemetry,
    stopRequested: stop.requested,
    async reload(by) {
      await reloader.reload(by).catch(() => undefined);
    },
    async stop(reason) {
      log.info('daemon_stopping', { reason });
      finalEvent.event = 'daemon_stopped';
      readiness.drain();
      return lifecycle.stop((part, error) =>
        log.error('feature_not_stopped', { part, error: error.toJSON() }),
      );
    },
  };
}

// A daemon that replaces one that is still draining waits this long for it.
const TAKEOVER_WAIT_MS = 30_000;
// The time to abort the remaining calls after the drain.
const CUTTING_MS = 1000;

const NO_TOKEN =
  'TCP clients on this machine need no token, as auth.requireToken is off. exai doctor says what that means.';
