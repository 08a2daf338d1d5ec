import { rmSync } from 'node:fs';
import type { Config } from '#config/config.schema.ts';
import { forgetAddress, listenAddress } from '#config/local-address.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import { isUsableSocketPath } from '#core/local-socket/socket-path.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Random } from '#core/random.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import { createGatewayDoor, type GatewayDoorOptions } from '#transport/gateway/gateway-door.ts';
import { createArriving, type Arriving, MAX_ARRIVING_BYTES } from '#transport/http/arriving.ts';
import type { ListenerOptions } from '#transport/http/listener.ts';
import { createLocalDoor, type LocalDoor } from '#transport/local/local-door.ts';
import { createHttpDoor } from '#transport/streamable/http-door.ts';
import { createWsDoor } from '#transport/ws/ws-door.ts';
import type { Engine } from './engine.ts';
import { openTcp, withTls, type TcpBound } from './open-tcp.ts';
import type { PortTaken } from './port-holder.ts';
import type { LoadedTls } from './tls-files.ts';
import { uuidFrom } from './uuid.ts';

export interface DoorsOptions {
  /** Without a port only the socket file is served. */
  readonly config: Pick<Config, 'host' | 'port' | 'door' | 'gateway' | 'limits'>;
  readonly tls?: LoadedTls | undefined;
  /** `any_free`: when the port is taken, another one will do. */
  readonly port: 'as_told' | 'any_free';
  readonly socketFile: string;
  readonly engine: Engine;
  readonly http: Pick<ListenerOptions, 'routes' | 'isTrusted'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

export interface Doors {
  /** Nothing where there is only the socket file. */
  readonly bound?: TcpBound;
  /** The port that was wanted, where another program has it. */
  readonly portTaken?: PortTaken;
  connections(): number;
  /** Takes nobody in any more, lets what runs finish for so long, then cuts it. */
  drain(withinMs: number): Promise<void>;
  /** Shows this certificate from now on; gives where the daemon is reached with it. */
  renewTls(tls: LoadedTls): TcpBound | undefined;
}

/** One to listen, one to ask. */
const CONNECTIONS_OF_A_SESSION = 2;
/** Who is not answered in time is told so, and shall get to read it before the connection is cut. */
const FAREWELL_MS = 250;
const CUTS_PER_MINUTE = 10;

/** Opens every way in: HTTP and WebSocket on one port, and the socket file. */
export async function openDoors(options: DoorsOptions): Promise<Doors> {
  const { config, engine, clock, log, metrics, random, tls } = options;
  const arriving = openArriving(options);
  const shared = {
    arriving,
    openSession: engine.openSession,
    newSession: () => uuidFrom(random(16)),
    maxFrameBytes: config.door.maxFrameBytes,
    maxConnections: config.limits.connections,
    clock,
    log,
  };
  // Over HTTP who asks is asked with every request, and a refused one has a line of its own in the log.
  const doorman: GatewayDoorOptions['doorman'] = {
    identify: (arrival) => engine.doorman.identify({ ...arrival, during: 'request' }),
    isGood: (caller) => engine.doorman.isGood(caller),
  };
  const origins = config.door.origins.map((origin) => origin.toLowerCase());
  const ws = createWsDoor({
    ...shared,
    ...config.door,
    identify: (token, connection) => doorman.identify({ door: 'tcp', token, connection }),
    hosts: [config.host.toLowerCase(), ...(tls?.names ?? [])],
    origins,
    metrics,
  });
  const http = createHttpDoor({
    ...config.door,
    arriving,
    openMcp: (line, about) => engine.openMcp(line, about),
    doorman,
    find: (name) => engine.calls.find(name),
    newSession: shared.newSession,
    maxSessions: config.limits.connections,
    clock,
    metrics,
  });
  const gateway = createGatewayDoor({
    calls: engine.calls,
    doorman,
    newSession: shared.newSession,
    maxBodyBytes: config.gateway.maxBodyBytes,
    arriving,
    headHoldMs: config.gateway.headHoldMs,
    sseKeepaliveMs: config.door.sseKeepaliveMs,
    clock,
    metrics,
  });
  const listen = (port: number) =>
    openTcp(
      {
        ...options.http,
        endpoints: [...http.endpoints, ...(config.gateway.enabled ? gateway.endpoints : [])],
        origins,
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
  const local = await openLocal(options.socketFile, random, shared).catch(
    async (thrown: unknown) => {
      await tcp?.listener.drain(0);
      throw thrown;
    },
  );
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
        tcp?.listener.drain(withinMs + FAREWELL_MS),
        http.drain(withinMs),
        gateway.drain(withinMs),
        ws.drain(withinMs),
        local?.drain(withinMs),
      ]);
    },
  };
}

function openArriving({ clock, log, metrics }: DoorsOptions): Arriving {
  const cuts = metrics.counter(
    'exai_arriving_cut_total',
    'Bodies, messages and lines that arrived too slowly when memory was needed.',
  );
  const warn = sparingWarn(log, clock, CUTS_PER_MINUTE);
  const arriving = createArriving({
    maxBytes: MAX_ARRIVING_BYTES,
    clock,
    onCut() {
      cuts.add();
      warn('arriving_cut', { held_bytes: arriving.totalBytes });
    },
  });
  metrics.gauge(
    'exai_arriving_bytes',
    'Memory of bodies, messages and lines that are not complete.',
    () => arriving.totalBytes,
  );
  return arriving;
}

/** Refuses settings that leave clients no way in. */
export function checkWayIn(port: Config['port'], socketFile: string): void {
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
  path: string,
  random: Random,
  shared: Omit<Parameters<typeof createLocalDoor>[0], 'path' | 'address' | 'removeStale'>,
): Promise<LocalDoor | undefined> {
  if (!isUsableSocketPath(path, process.platform)) {
    shared.log.warn('socket_path_too_long', { path });
    return undefined;
  }
  const door = await createLocalDoor({
    ...shared,
    path,
    address: () => listenAddress(path, random),
    removeStale: (stale) => rmSync(stale, { force: true }),
  });
  return {
    get size() {
      return door.size;
    },
    async drain(withinMs) {
      await door.drain(withinMs);
      forgetAddress(path);
    },
  };
}
