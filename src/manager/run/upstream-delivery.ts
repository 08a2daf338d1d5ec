import type { AskRequest } from '#core/llm/ask.ts';
import { descriptorOf } from '#core/providers/list.ts';
import { willThink } from '#models/timeouts.ts';
import type { Latencies, LatencyTraits } from '../latencies.ts';
import type { PlannedModel } from '../route/plan.ts';
import { LEAST_SILENCE_MS, SILENCE_FACTOR } from './hedging.ts';
import { vendorStops } from './vendor-stops.ts';

/**
 * Of an answer that usually is whole sooner, silence is noticed as soon as that of a stream, and reading
 * it in pieces costs more.
 */
const SHORT_MS = LEAST_SILENCE_MS / SILENCE_FACTOR;
/** An answer with this limit is short, if the model does not think. */
const SHORT_TOKENS = 256;

/** What is known of the usual times of requests. */
export interface UsualTimes {
  readonly latencies?: Pick<Latencies, 'usualMs'> | undefined;
}

/**
 * How a provider is asked. A caller that wants the whole answer at once gets it from a stream, if it
 * usually takes seconds: silence is noticed by the first word, not by the last. An answer of which nothing is known
 * is asked for as the caller wants it.
 */
export function upstreamDelivery(
  { entry, thinking, search, isLastResort }: PlannedModel,
  request: AskRequest,
  promptTokens: number,
  { latencies }: UsualTimes,
): 'stream' | 'whole' {
  const { delivery } = vendorStops(request, entry);
  if (delivery === 'stream' || isLastResort || !latencies) return delivery;
  const thinks = willThink(entry, thinking);
  if (!thinks && (request.maxOutputTokens ?? Infinity) <= SHORT_TOKENS) return delivery;
  const { provider, id } = entry;
  const usualMs = (how: LatencyTraits['delivery']) =>
    latencies.usualMs(provider, id, {
      delivery: how,
      thinks,
      searches: search === 'provider',
      promptTokens,
    });
  // A server of the user may not stream.
  const isProven = descriptorOf(provider).needs !== 'address' || usualMs('stream') !== undefined;
  return isProven && (usualMs('whole') ?? 0) > SHORT_MS ? 'stream' : 'whole';
}
