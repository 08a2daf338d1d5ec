import type { GatewayDoor } from '../../src/transport/gateway/gateway-door.ts';
import type { GatewayPlan } from './gateway-plan.ts';
import type { SimExchange } from './http-wire.ts';
import type { Ice } from './ice.ts';
import type { Watch } from './watch.ts';
import type { WatchedCall } from './watched-call.ts';
import type { World } from './world.ts';

/** Looks at the door for other people's clients from the daemon's side, where before and after are beyond doubt. */
export interface GatewayWatch {
  /** Somebody came. */
  arrived(exchange: SimExchange): void;
  left(exchange: SimExchange): void;
  /** The door says that it is done. */
  drained(): void;
  check(door: Pick<GatewayDoor, 'size'>): void;
}

export interface GatewayWatchOptions {
  readonly world: World;
  readonly ice: Ice;
  readonly watch: Pick<Watch, 'calls'>;
  readonly plan: GatewayPlan;
  readonly isRevoked: (credential: string) => boolean;
}

export function createGatewayWatch(options: GatewayWatchOptions): GatewayWatch {
  const { world, ice, watch, plan, isRevoked } = options;
  const { headHoldMs, keepaliveMs } = plan;
  const exchanges = new Set<SimExchange>();
  /** Since when what they came in with opens nothing any more. */
  const revokedSince = new Map<SimExchange, number>();
  let drainedAtStep = Number.POSITIVE_INFINITY;

  /** A stream that has nothing to say yet says so in time, and not before. */
  function checkHead({ reqId, headAt }: SimExchange, call: WatchedCall): void {
    const heldMs = (headAt ?? world.now) - call.startedAt;
    // What is decided is told as soon as it is on disk.
    if (headAt === undefined && heldMs > headHoldMs && !call.isDecided)
      world.violate('held', `the head of ${reqId} is held for ${heldMs} ms`);
    if (headAt !== undefined && heldMs < headHoldMs && !call.hasSpoken)
      world.violate('held', `the head of ${reqId} is sent after ${heldMs} ms, without a word`);
  }

  function checkSigns({ reqId, headAt, saidAt }: SimExchange, call: WatchedCall): void {
    const silentMs = world.now - saidAt;
    if (headAt !== undefined && silentMs > keepaliveMs && !call.isDecided)
      world.violate('alive', `${reqId} hears nothing for ${silentMs} ms`);
  }

  /** Who lost its key is told so with the next sign of life. */
  function checkKey(exchange: SimExchange, { credential, isDecided }: WatchedCall): void {
    if (credential === undefined || isDecided || !isRevoked(credential)) return;
    if (exchange.headAt === undefined) return;
    const since = revokedSince.get(exchange);
    if (since === undefined) return void revokedSince.set(exchange, world.now);
    const ms = world.now - Math.max(since, ice.lastFrozenAt);
    if (ms > keepaliveMs)
      world.violate('revoked', `${exchange.reqId} goes on for ${ms} ms without a good key`);
  }

  function check(exchange: SimExchange): void {
    const call = watch.calls.get(exchange.reqId);
    if (!call) return;
    if (call.startedAtStep > drainedAtStep)
      world.violate('drain', `${exchange.reqId} begins after the door has drained`);
    if (!call.isHeard) return;
    checkHead(exchange, call);
    checkSigns(exchange, call);
    checkKey(exchange, call);
  }

  return {
    arrived: (exchange) => void exchanges.add(exchange),
    left: (exchange) => void exchanges.delete(exchange),
    drained: () => void (drainedAtStep = world.step),
    check({ size }) {
      const open = [...exchanges].filter(({ isOpen }) => isOpen);
      if (size > open.length)
        world.violate('outlives', `${size} chats are under way for ${open.length} clients`);
      for (const exchange of open) check(exchange);
    },
  };
}
