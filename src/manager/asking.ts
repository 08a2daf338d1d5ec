import type { AskedBy } from '#core/ask.ts';
import type { Deadline } from '#core/deadline.ts';
import type { RouteFacts } from '#core/route.ts';
import type { MeasuredParts } from './context/measure.ts';
import type { PlannedModel } from './plan.ts';
import type { RouteWorld } from './route-world.ts';
import type { Ledger } from './run/ledger.ts';

/** A request on its way. */
export interface Asking {
  readonly measured: MeasuredParts;
  readonly facts: RouteFacts;
  readonly by: AskedBy;
  readonly deadline: Deadline;
  readonly ledger: Ledger;
}

/** How much of a prompt a candidate takes; in a smaller window, where its vendor has just named one. */
export function roomOf(
  { entry, roomTokens }: PlannedModel,
  world: RouteWorld,
  contextTokens = entry.contextTokens,
) {
  // What the answer needs stays the same, but half of a small window is the prompt's in any case.
  const room = Math.min(roomTokens, contextTokens - (entry.contextTokens - roomTokens));
  return {
    roomTokens: Math.max(room, Math.floor(contextTokens / 2)),
    correction: world.correction(entry),
    contextTokens,
    model: entry.id,
  };
}
