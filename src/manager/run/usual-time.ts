import type { AskRequest } from '#core/llm/ask.ts';
import { willThink } from '#models/timeouts.ts';
import type { Latencies, LatencyTraits } from '../latencies.ts';
import type { PlannedModel } from '../route/plan.ts';
import { vendorStops } from './vendor-stops.ts';

/** What the time of a request to its first token depends on. */
export function latencyTraits(
  { entry, thinking, search }: PlannedModel,
  request: AskRequest,
  promptTokens: number,
): LatencyTraits {
  return {
    delivery: vendorStops(request, entry).delivery,
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
  { latencies }: { readonly latencies?: Pick<Latencies, 'usualMs'> | undefined },
): number | undefined {
  const { provider, id } = candidate.entry;
  return latencies?.usualMs(provider, id, latencyTraits(candidate, request, promptTokens));
}
