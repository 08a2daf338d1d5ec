import type { Gateway } from '#transport/gateway/gateway.ts';
import type { GatewayPlan } from './gateway-plan.ts';
import type { SimExchange } from './http-wire.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { Watch } from './watch.ts';
import type { WatchedCall } from './watched-call.ts';
import type { Simulation } from './simulation.ts';

/**
 * Looks at the transport for other people's clients from the daemon's side, where before and after are
 * beyond doubt.
 */
export interface GatewayWatch {
  /** Somebody came. */
  arrived(exchange: SimExchange): void;
  left(exchange: SimExchange): void;
  /** The transport says that it is done. */
  drained(): void;
  check(transport: Pick<Gateway, 'size'>): void;
}

export interface GatewayWatchOptions {
  readonly simulation: Simulation;
  readonly daemonFreeze: DaemonFreeze;
  readonly watch: Pick<Watch, 'calls'>;
  readonly plan: GatewayPlan;
  readonly isRevoked: (credential: string) => boolean;
}

export function createGatewayWatch(options: GatewayWatchOptions): GatewayWatch {
  const { simulation, daemonFreeze, watch, plan, isRevoked } = options;
  const { headHoldMs, keepaliveMs } = plan;
  const exchanges = new Set<SimExchange>();
  /** Since when what they came in with opens nothing any more. */
  const revokedSince = new Map<SimExchange, number>();
  let drainedAtStep = Number.POSITIVE_INFINITY;

  /** A stream that has nothing to say yet says so in time, and not before. */
  function checkHead({ reqId, headAt }: SimExchange, call: WatchedCall): void {
    const heldMs = (headAt ?? simulation.now) - call.startedAt;
    // What is decided is told as soon as it is on disk.
    if (headAt === undefined && heldMs > headHoldMs && !call.isDecided)
      simulation.violate('held', `the head of ${reqId} is held for ${heldMs} ms`);
    if (headAt !== undefined && heldMs < headHoldMs && !call.hasSpoken)
      simulation.violate('held', `the head of ${reqId} is sent after ${heldMs} ms, without a word`);
  }

  function checkSigns({ reqId, headAt, saidAt }: SimExchange, call: WatchedCall): void {
    const silentMs = simulation.now - saidAt;
    if (headAt !== undefined && silentMs > keepaliveMs && !call.isDecided)
      simulation.violate('alive', `${reqId} hears nothing for ${silentMs} ms`);
  }

  /** Who lost its key is told so with the next sign of life. */
  function checkKey(exchange: SimExchange, { credential, isDecided }: WatchedCall): void {
    if (credential === undefined || isDecided || !isRevoked(credential)) return;
    if (exchange.headAt === undefined) return;
    const since = revokedSince.get(exchange);
    if (since === undefined) return void revokedSince.set(exchange, simulation.now);
    const ms = simulation.now - Math.max(since, daemonFreeze.lastFrozenAt);
    if (ms > keepaliveMs)
      simulation.violate('revoked', `${exchange.reqId} goes on for ${ms} ms without a good key`);
  }

  function check(exchange: SimExchange): void {
    const call = watch.calls.get(exchange.reqId);
    if (!call) return;
    if (call.startedAtStep > drainedAtStep)
      simulation.violate('drain', `${exchange.reqId} begins after the transport has drained`);
    if (!call.isHeard) return;
    checkHead(exchange, call);
    checkSigns(exchange, call);
    checkKey(exchange, call);
  }

  return {
    arrived: (exchange) => void exchanges.add(exchange),
    left: (exchange) => void exchanges.delete(exchange),
    drained: () => void (drainedAtStep = simulation.step),
    check({ size }) {
      const open = [...exchanges].filter(({ isOpen }) => isOpen);
      if (size > open.length)
        simulation.violate('outlives', `${size} chats are under way for ${open.length} clients`);
      for (const exchange of open) check(exchange);
    },
  };
}
