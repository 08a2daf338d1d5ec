import { createBoundedMap } from '#core/bounded-map.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Model } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';
import { modelIdentity } from './route/routing-context.ts';
import type { RoutingState } from './route/routing-state.ts';

/** Roles whose cheap models stand in for the manager's. */
const STAND_INS: readonly RoleName[] = ['glmSpeed', 'kimiSpeed'];
/** Micro-dollars for a million tokens of output. Users expect internal asks to cost next to nothing. */
const MAX_OUTPUT_PRICE = 1_000_000;

/**
 * The models for internal asks that are available now: those of the manager, then the cheapest of
 * the quick models and of their equivalents at OpenRouter. A half-open one is left to real requests,
 * which need its probe.
 */
export function internalModels(routing: RoutingState): readonly Model[] {
  const { manager } = routing.roles;
  const quick = STAND_INS.flatMap((role) => routing.roles[role]);
  const routed = manager.flatMap((model) => routing.openrouter(model) ?? []);
  const cheap = [...quick, ...routed]
    .filter(({ price }) => price !== undefined && price.output <= MAX_OUTPUT_PRICE)
    .toSorted((a, b) => (a.price?.output ?? 0) - (b.price?.output ?? 0));
  const all = new Map([...manager, ...cheap].map((model) => [modelIdentity(model), model]));
  return [...all.values()].filter(
    (model) => routing.obstacle(model) === undefined && routing.health(model).is === 'closed',
  );
}

/**
 * Models that refused internal asks for a reason that lasts: not in the plan of the key, or unknown
 * to the vendor. Breakers ignore such errors, so without this every request would wait for another
 * refusal.
 */
export interface InternalRefusals {
  has(model: Model): boolean;
  add(model: Model, error: CallError): void;
}

const EXPIRY_MS = 600_000;
const MAX_MODELS = 64;
const LASTING: ReadonlySet<string> = new Set(['not_configured', 'not_found', 'permission']);

export function createInternalRefusals(clock: Pick<Clock, 'monotonic'>): InternalRefusals {
  const untilByModel = createBoundedMap<string, number>({ maxEntries: MAX_MODELS });
  return {
    has: (model) => (untilByModel.get(modelIdentity(model)) ?? 0) > clock.monotonic(),
    add(model, { class: errorClass }) {
      if (!LASTING.has(errorClass)) return;
      untilByModel.set(modelIdentity(model), clock.monotonic() + EXPIRY_MS);
    },
  };
}
