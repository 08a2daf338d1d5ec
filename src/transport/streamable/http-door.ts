import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import type { Metrics } from '#core/telemetry.ts';
import type { Arriving } from '../http/arriving.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { createShares } from '../http/shares.ts';
import { createSseEndpoints } from '../sse/sse-endpoints.ts';
import type { OpenMcp } from './http-about.ts';
import { createLegacySessions } from './legacy-sessions.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { createModernRequests } from './modern-requests.ts';
import { clearStreamLines, createStreamLines, type StreamTimes } from './stream-lines.ts';

export interface HttpDoorOptions extends StreamTimes {
  readonly openMcp: OpenMcp;
  readonly doorman: Pick<Doorman, 'identify'> & {
    /** Whether who came in may still be there. */
    isGood(caller: Caller): boolean;
  };
  /** A tool by its name, for the headers it wants. */
  readonly find: Calls['find'];
  readonly clock: Clock;
  newSession(): string;
  readonly maxBodyBytes: number;
  /** The memory of bodies that are not whole yet: one for all doors. */
  readonly arriving: Arriving;
  /** At once, in all; as many requests that need none. */
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly metrics: Metrics;
}

interface HttpDoor {
  /** What the listener is to serve. */
  readonly endpoints: readonly Endpoint[];
  /** Sessions that are open, and requests that need none. */
  readonly size: number;
  /** Takes no more requests, lets what runs finish for so long, then ends it. */
  drain(withinMs: number): Promise<void>;
}

/** MCP over HTTP: `/mcp` for everybody, `/sse` and `/messages` for clients of 2024. */
export function createHttpDoor(options: HttpDoorOptions): HttpDoor {
  const { openMcp, doorman, clock, metrics, maxSessions } = options;
  const isGood = (caller: Caller) => doorman.isGood(caller);
  const newSession = () => options.newSession();
  const limits: BodyLimits = {
    maxBytes: options.maxBodyBytes,
    setting: 'door.maxBodyBytes',
    arriving: options.arriving,
  };
  const places = createShares(maxSessions);
  let draining: Promise<void> | undefined;
  const isDraining = () => draining !== undefined;

  const lines = createStreamLines(clock, options);
  const sessions = createLegacySessions({ ...options, isGood, newSession, lines, places });
  const modern = createModernRequests({
    openMcp,
    isGood,
    clock,
    times: options,
    places: createShares(maxSessions),
  });
  const sse = createSseEndpoints({
    openMcp,
    doorman,
    isGood,
    clock,
    limits,
    isDraining,
    takePlace: (caller) => sessions.takePlace(caller),
    givePlace: ({ principal }) => places.give(principal),
    newSession,
    sseKeepaliveMs: options.sseKeepaliveMs,
  });
  const mcp = createMcpEndpoint({
    doorman,
    find: options.find,
    sessions,
    modern,
    limits,
    isDraining,
  });
  metrics.gauge('exai_http_sessions', 'Open MCP sessions over HTTP.', () => {
    return sessions.size + sse.size;
  });

  async function drain(withinMs: number): Promise<void> {
    let stop = () => {};
    const late = new Promise<void>((resolve) => {
      const timer = clock.after(withinMs, resolve);
      stop = () => timer.stop();
    });
    await Promise.race([late, Promise.all([sessions.drain(), modern.drain(), sse.drain()])]);
    stop();
    sessions.end();
    modern.end();
    sse.end();
    clearStreamLines(lines);
  }

  return {
    endpoints: [mcp, ...sse.endpoints],
    get size() {
      return sessions.size + modern.size + sse.size;
    },
    drain: (withinMs) => (draining ??= drain(withinMs)),
  };
}
