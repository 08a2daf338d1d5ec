import type { AskContext } from '#core/llm/ask.ts';
import type { Deadline } from '#core/time/deadline.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import type { MeasuredParts } from './context/measure.ts';
import type { PlannedModel } from './route/plan.ts';
import type { RoutingState } from './route/routing-state.ts';
import type { Ledger } from './run/ledger.ts';

/** The state of one ask: the measured request, its routing facts, deadline and ledger. */
export interface AskState {
  readonly measured: MeasuredParts;
  readonly facts: RouteFacts;
  readonly by: AskContext;
  readonly deadline: Deadline;
  readonly ledger: Ledger;
}

/**
 * The prompt room of a candidate; for a smaller context window, if its vendor has just reported
 * one.
 */
export function promptRoom(
  { entry, roomTokens }: PlannedModel,
  routing: RoutingState,
  contextTokens = entry.contextTokens,
) {
  // The answer's share stays the same, but the prompt gets at least half of a small window.
  const room = Math.min(roomTokens, contextTokens - (entry.contextTokens - roomTokens));
  return {
    roomTokens: Math.max(room, Math.floor(contextTokens / 2)),
    correction: routing.correction(entry),
    contextTokens,
    model: entry.id,
  };
}
