import { rmSync } from 'node:fs';
import type { Config } from '#config/schema/config.schema.ts';
import { forgetAddress, listenAddress } from '#config/home/local-address.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { NewId } from '#core/ids.ts';
import { isUsableSocketPath } from '#core/local-socket/socket-path.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Random } from '#core/random.ts';
import type { FileStore } from '#core/stores/files.ts';
import type { ResponseStore } from '#core/stores/responses.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import { createGateway, type GatewayOptions } from '#transport/gateway/gateway.ts';
import {
  createReceiveBuffers,
  type ReceiveBuffers,
  MAX_RECEIVE_BUFFER_BYTES,
} from '#transport/http/receive-buffers.ts';
import type { ListenerOptions } from '#transport/http/listener.ts';
import { createUnixServer, type UnixServer } from '#transport/unix/unix-server.ts';
import { createMcpHttp } from '#transport/streamable/mcp-http.ts';
import { createWsServer } from '#transport/ws/ws-server.ts';
import type { Engine } from '../engine.ts';
import { listenOnTcp, withTls, type TcpBound } from './listen-on-tcp.ts';
import type { PortTaken } from './port-holder.ts';
import type { LoadedTls } from './tls-files.ts';
import { uuidFrom } from '../uuid.ts';
import { watchSocketFile } from './watch-socket-file.ts';

export interface ListenersOptions {
  /** Without a port only the unix socket is served. */
  readonly config: Pick<Config, 'host' | 'port' | 'listener' | 'gateway' | 'limits'>;
  readonly tls?: LoadedTls | undefined;
  /** `any_free`: if the port is taken, another one is used. */
  readonly port: 'configured' | 'any_free';
  readonly socketFile: string;
  /** While false, another daemon may hold the home, and the socket file may be its own. */
  readonly isLockIntact: () => boolean;
  readonly engine: Engine;
  /** Stored responses of the gateway. */
  readonly responses: ResponseStore;
  readonly files: Pick<FileStore, 'read'>;
  readonly budgetLeftMicroUsd?: GatewayOptions['budgetLeftMicroUsd'];
  readonly http: Pick<ListenerOptions, 'routes' | 'isTrusted'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

export interface Listeners {
  /** Undefined if only the unix socket is served. */
  readonly bound?: TcpBound;
  /** The configured port, if another program holds it. */
  readonly portTaken?: PortTaken;
  connections(): number;
  /** Accepts no new connections, lets running calls finish within the time, then aborts them. */
  drain(withinMs: number): Promise<void>;
  /** Uses this certificate from now on; returns the address with it. */
  renewTls(tls: LoadedTls): TcpBound | undefined;
}

/** One for the event stream, one for requests. */
const CONNECTIONS_OF_A_SESSION = 2;
/** Time for clients to read the error of an aborted call before the connection is closed. */
const FLUSH_GRACE_MS = 250;
const CUTS_PER_MINUTE = 10;

/** Opens all listeners: HTTP and WebSocket on one port, and the unix socket. */
export async function openListeners(options: ListenersOptions): Promise<Listeners> {
  const { config, engine, clock, log, metrics, random, tls } = options;
  const receiveBuffers = openArriving(options);
  const shared = {
    receiveBuffers,
    openSession: engine.openSession,
    newSession: () => uuidFrom(random(16)),
    maxFrameBytes: config.listener.maxFrameBytes,
    maxConnections: config.limits.connections,
    clock,
    log,
  };
  // Over HTTP every request is authenticated, and each refusal is logged.
  const authenticator: GatewayOptions['authenticator'] = {
    authenticate: ({ transport, token, connection }) =>
      engine.authenticator.authenticate({ transport, token, connection, phase: 'request' }),
    isCredentialValid: (caller) => engine.authenticator.isCredentialValid(caller),
  };
  const origins = config.listener.origins.map((origin) => origin.toLowerCase());
  const hosts = config.listener.hosts.map((name) => name.toLowerCase());
  const ws = createWsServer({
    ...shared,
    ...config.listener,
    identify: (token, connection) =>
      authenticator.authenticate({ transport: 'tcp', token, connection }),
    hosts: [config.host.toLowerCase(), ...(tls?.names ?? []), ...hosts],
    origins,
    metrics,
  });
  const http = createMcpHttp({
    ...config.listener,
    receiveBuffers,
    openMcp: (sink, context) => engine.openMcp(sink, context),
    authenticator: authenticator,
    find: (name) => engine.calls.find(name),
    newSession: shared.newSession,
    maxSessions: config.limits.connections,
    clock,
    metrics,
  });
  const gateway = createGateway({
    calls: engine.calls,
    authenticator: authenticator,
    responses: options.responses,
    files: options.files,
    newSession: shared.newSession,
    maxBodyBytes: config.gateway.maxBodyBytes,
    receiveBuffers,
    headHoldMs: config.gateway.headHoldMs,
    sseKeepaliveMs: config.listener.sseKeepaliveMs,
    repeats: config.gateway,
    maxRunning: () => config.limits.global,
    ...(options.budgetLeftMicroUsd && { budgetLeftMicroUsd: options.budgetLeftMicroUsd }),
    clock,
    metrics,
  });
  const listen = (port: number) =>
    listenOnTcp(
      {
        ...options.http,
        endpoints: [
          ...http.endpoints,
          ...(config.gateway.enabled ? gateway.endpoints : []),
          ...engine.endpoints,
        ],
        origins,
        hosts,
        host: config.host,
        port,
        tls,
        clock,
        newId: options.newId,
        log,
        metrics,
        tracer: options.tracer,
        maxConnections: CONNECTIONS_OF_A_SESSION * config.limits.connections,
        upgrade: (request, socket, head) => ws.upgrade(request, socket, head),
      },
      options.port === 'any_free' ? 'any_free' : 'fail',
    );
  const tcp = config.port === 'off' ? undefined : await listen(config.port);
  const local = await openLocal(options, shared).catch(async (thrown: unknown) => {
    await tcp?.listener.drain(0);
    throw thrown;
  });
  return {
    ...(tcp && { bound: tcp.bound }),
    ...(tcp?.portTaken && { portTaken: tcp.portTaken }),
    renewTls(renewed) {
      tcp?.listener.renewTls(renewed);
      return tcp && withTls(tcp.listener.bound, renewed);
    },
    connections: () => ws.size + http.size + gateway.size + (local?.size ?? 0),
    async drain(withinMs) {
      await Promise.all([
        tcp?.listener.drain(withinMs + FLUSH_GRACE_MS),
        http.drain(withinMs),
        gateway.drain(withinMs),
        ws.drain(withinMs),
        local?.drain(withinMs),
      ]);
    },
  };
}

function openArriving({ clock, log, metrics }: ListenersOptions): ReceiveBuffers {
  const cuts = metrics.counter(
    'exai_inbound_dropped_total',
    'Bodies, messages and lines that arrived too slowly when memory was needed.',
  );
  const warn = createRateLimitedLog(log, clock, CUTS_PER_MINUTE);
  const receiveBuffers = createReceiveBuffers({
    maxBytes: MAX_RECEIVE_BUFFER_BYTES,
    clock,
    onDropped() {
      cuts.add();
      warn('inbound_dropped', { held_bytes: receiveBuffers.totalBytes });
    },
  });
  metrics.gauge(
    'exai_inbound_buffered_bytes',
    'Memory of bodies, messages and lines that are not complete.',
    () => receiveBuffers.totalBytes,
  );
  return receiveBuffers;
}

/** Throws if the settings leave no listener. */
export function checkReachable(port: Config['port'], socketFile: string): void {
  if (port !== 'off' || isUsableSocketPath(socketFile, process.platform)) return;
  const message = `EXAI_PORT is off, and the path ${socketFile} is too long for a socket file: no client could connect.`;
  throw new CallError('validation', message, {
    field: 'port',
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'a folder with a shorter path' }),
      fix('set_setting', { setting: 'EXAI_PORT', value: 'a number' }),
    ],
  });
}

async function openLocal(
  { socketFile: path, random, isLockIntact }: ListenersOptions,
  shared: Omit<Parameters<typeof createUnixServer>[0], 'path' | 'address' | 'removeStale'>,
): Promise<Pick<UnixServer, 'size' | 'drain'> | undefined> {
  if (!isUsableSocketPath(path, process.platform)) {
    shared.log.warn('socket_path_too_long', { path });
    return undefined;
  }
  const server = await createUnixServer({
    ...shared,
    path,
    address: () => listenAddress(path, random),
    removeStale: (stale) => rmSync(stale, { force: true }),
  });
  const watch = watchSocketFile({
    path,
    isLockIntact,
    reopen: () => server.reopen(),
    clock: shared.clock,
  });
  return {
    get size() {
      return server.size;
    },
    async drain(withinMs) {
      watch.stop();
      await server.drain(withinMs);
      forgetAddress(path);
    },
  };
}
