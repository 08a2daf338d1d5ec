import type { AskRequest } from '#core/llm/ask.ts';
import { willThink } from '#models/timeouts.ts';
import type { LatencyTraits } from '../latencies.ts';
import type { PlannedModel } from '../route/plan.ts';
import { upstreamDelivery, type UsualTimes } from './upstream-delivery.ts';

/** What the time of a request to its first token depends on. */
export function latencyTraits(
  { entry, thinking, search }: PlannedModel,
  promptTokens: number,
  delivery: LatencyTraits['delivery'],
): LatencyTraits {
  return {
    delivery,
    thinks: willThink(entry, thinking),
    searches: search === 'provider',
    promptTokens,
  };
}

/** How long requests like this one usually take to their first token; undefined if not known yet. */
export function usualFirstTokenMs(
  candidate: PlannedModel,
  request: AskRequest,
  promptTokens: number,
  times: UsualTimes,
): number | undefined {
  const { provider, id } = candidate.entry;
  const delivery = upstreamDelivery(candidate, request, promptTokens, times);
  return times.latencies?.usualMs(provider, id, latencyTraits(candidate, promptTokens, delivery));
}
