import { existsSync } from 'node:fs';
import { prepareHome } from '#config/home.ts';
import type { LoadedConfig } from '#config/load.ts';
import { ensureOwnerToken } from '#config/owner-token.ts';
import { CallError } from '#core/call-error.ts';
import { createIds } from '#core/ids.ts';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { VERSION } from '#core/version.ts';
import { storeName } from '#store/store-name.ts';
import { probeRoutes } from '#transport/http/probe-routes.ts';
import { listeningHost, needsToken } from './bind-policy.ts';
import { buildEngine } from './build-engine.ts';
import { checkConformanceHost, CONFORMANCE_DOOR, conformanceFeature } from './conformance.ts';
import { removeDaemonFile, writeDaemonFile, type DaemonRecord } from './daemon-file.ts';
import { checkWayIn, openDoors, type Doors, type DoorsOptions } from './doors.ts';
import type { MountFeature } from './features/feature.ts';
import { isOwner } from './is-owner.ts';
import { listeningWarnings } from './listening-words.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { openManager } from './manager/open-manager.ts';
import { openOutside } from './outside/outside.ts';
import { pidNamespace } from './pid-namespace.ts';
import { reportProcess } from './process-metrics.ts';
import { createReadiness, READINESS_METHOD } from './readiness.ts';
import { startRetention } from './retention.ts';
import { claimHome } from './single-instance.ts';
import { storePart } from './store-part.ts';
import type { System } from './system.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';
import { loadTls, type LoadedTls } from './tls-files.ts';
import { watchTls } from './watch-tls.ts';

export interface Daemon {
  readonly record: DaemonRecord;
  readonly telemetry: Telemetry;
  /** Resolves with the reason when a client that may asks for the end. */
  readonly stopRequested: Promise<string>;
  /** Finishes what is running, then stops every part, last first. */
  stop(reason: string): Promise<void>;
}

export interface DaemonOptions {
  /** `as_told` unless told. */
  readonly port?: DoorsOptions['port'];
  /** The fixtures of MCP's conformance suite. */
  readonly extra?: 'conformance';
  /** Mounted after those of every daemon; none unless given. */
  readonly features?: readonly MountFeature[];
}

/** The composition root. If a part fails to start, those before it are stopped again. */
export async function startDaemon(
  given: LoadedConfig,
  system: System,
  options: DaemonOptions = {},
): Promise<Daemon> {
  const lifecycle = createLifecycle(system.clock);
  const lastWord: LastWord = { event: 'daemon_not_started' };
  try {
    return await startParts(lifecycle, given, system, options, lastWord);
  } catch (thrown) {
    lastWord.error = CallError.from(thrown);
    await lifecycle.stop(() => undefined);
    throw thrown;
  }
}

/** What the log ends with. */
interface LastWord {
  event: 'daemon_not_started' | 'daemon_stopped';
  error?: CallError;
}

/** Every part, in the order it starts. */
async function startParts(
  lifecycle: Lifecycle,
  given: LoadedConfig,
  system: System,
  { port = 'as_told', extra, features = [] }: DaemonOptions,
  lastWord: LastWord,
): Promise<Daemon> {
  const { home } = given;
  const { clock, random } = system;
  const startedAtMs = clock.now();
  const newId = createIds(clock, random);
  // Before anything is made: settings that cannot work leave no trace.
  if (extra === 'conformance') checkConformanceHost(given.config.host);
  checkWayIn(given.config.port, home.socketFile);
  const host =
    given.config.port === 'off'
      ? LOOPBACK
      : listeningHost(given.config, given.origins.get('token'));
  const tls = given.config.port === 'off' ? undefined : loadTls(given.config.tls, clock.now());
  prepareHome(home);

  const claim = await lifecycle.start('lock', {
    start: () => claimHome(home, clock, port === 'any_free' ? SUCCESSION_MS : 0),
    stop: (held) => held.release(),
  });

  const wasUsedBefore = existsSync(home.writerIdFile);
  const loaded = ensureOwnerToken(given, random);
  const { config } = loaded;
  const telemetry = await lifecycle.start('telemetry', {
    start: () => startTelemetry(loaded, system),
    stop: (part) => part.stop(),
  });
  const { log, metrics, tracer } = telemetry;
  // Stopped right before the log itself, so that what it says is the last line.
  await lifecycle.start('last word', {
    start: () => undefined,
    stop() {
      const { event, error } = lastWord;
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
  const isTokenNew = given.config.token === '' && config.token !== '';
  if (isTokenNew) log.info('owner_token_generated', { file: home.envFile });
  // For a home whose earlier daemons asked nobody for a token.
  const notices =
    isTokenNew && wasUsedBefore ? [notice('token_generated', { file: home.envFile })] : [];
  for (const each of notices) system.warn(baseRenderer.notice(each));
  if (!needsToken(config)) {
    log.info('token_not_required', { host });
    system.warn(NO_TOKEN);
  }
  if (extra === 'conformance') log.warn('conformance_fixtures_on');

  const store = await lifecycle.start('store', storePart(loaded, { clock, newId, random, log }));
  await lifecycle.start('retention', {
    start: () => startRetention(store, config.retention, clock, log),
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

  const outside = await lifecycle.start('outside', {
    start: () => openOutside({ config, settings: store.settings, clock, random, log }),
    stop: (part) => part.close(),
  });

  const managing = await lifecycle.start('manager', {
    start: () => openManager({ config, store, outside, clock, random, telemetry }),
    stop: (part) => part.close(),
  });

  const instance = Buffer.from(random(8)).toString('hex');
  const storedIn = storeName({ database: config.database, dataDir: home.dataDir });
  const stop = createStopRequest();
  let doors: Doors | undefined;
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
    doors: () => doors,
    requestStop: stop.request,
    notices,
    desk: outside.desk,
    manager: managing.manager,
    embedder: managing.embedder,
    budgets: managing.budgets,
    breakers: managing.breakers,
    features: extra === 'conformance' ? [...features, conformanceFeature] : features,
    lifecycle,
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
  doors = await lifecycle.start('doors', {
    start: () =>
      openDoors({
        config: {
          ...config,
          host,
          door: extra ? { ...config.door, ...CONFORMANCE_DOOR } : config.door,
        },
        port: loaded.origins.get('port')?.kind === 'default' ? port : 'as_told',
        tls,
        socketFile: home.socketFile,
        engine,
        http: {
          routes,
          isTrusted: (token, connection) => isOwner(engine.doorman, token, connection),
        },
        clock,
        random,
        newId,
        log,
        metrics,
        tracer,
      }),
    // What cannot be run again has the same time, whether its caller waits for it or not.
    async stop(open) {
      await Promise.all([open.drain(drainMs), engine.jobLife.drain(drainMs)]);
    },
    stopWithinMs: drainMs + CUTTING_MS,
  });

  engine.addMethods({ [READINESS_METHOD]: () => readiness.check() });
  const record: DaemonRecord = {
    ...doors.bound,
    ...(doors.portTaken && { portTaken: doors.portTaken }),
    pid: process.pid,
    version: VERSION,
    startedAt: new Date(startedAtMs).toISOString(),
    node: process.version,
    instance,
    pidNamespace: pidNamespace(),
    storedIn,
    gateway: config.gateway.enabled && doors.bound ? 'on' : 'off',
  };
  await lifecycle.start('daemon file', {
    start: () => writeDaemonFile(home.daemonFile, record),
    stop: () => removeDaemonFile(home.daemonFile),
  });
  if (tls) {
    const onRenewed = (renewed: LoadedTls) =>
      writeDaemonFile(home.daemonFile, { ...record, ...doors?.renewTls(renewed) });
    await lifecycle.start('certificate', {
      start: () => watchTls({ files: config.tls, clock, log, onRenewed }),
      stop: (timer) => timer.stop(),
    });
  }
  for (const { message } of listeningWarnings(record)) log.warn('listening_warning', { message });
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
    async stop(reason) {
      log.info('daemon_stopping', { reason });
      lastWord.event = 'daemon_stopped';
      readiness.drain();
      await lifecycle.stop((part, error) =>
        log.error('part_not_stopped', { part, error: error.toJSON() }),
      );
    },
  };
}

// Without a port nobody comes from elsewhere.
const LOOPBACK = '127.0.0.1';
// Who was started in place of a daemon that is still finishing its work waits for it.
const SUCCESSION_MS = 30_000;
// What is left after the drain is cut; this is for the cutting.
const CUTTING_MS = 1000;

const NO_TOKEN =
  'TCP clients on this machine need no token, as auth.requireToken is off. exai doctor says what that means.';

function createStopRequest() {
  let request: (reason: string) => void = () => undefined;
  const requested = new Promise<string>((resolve) => (request = resolve));
  return { requested, request: (reason: string) => request(reason) };
}
