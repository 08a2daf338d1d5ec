import type { Model } from './model.ts';

/** The output limit of a request that sets none, where the model and its window allow it. */
export const USUAL_OUTPUT_TOKENS = 32_768;
/** Below this an answer makes no sense, and the vendor's own error says more. */
export const LEAST_OUTPUT_TOKENS = 256;

type OutputFacts = Pick<Model, 'maxOutputTokens' | 'contextTokens'>;

/**
 * The output limit to send for a request that sets none: vendors count a request without one by
 * their own default, against rate limits and balance. Undefined if the prompt leaves no room.
 */
export function usualOutputTokens(
  { maxOutputTokens, contextTokens }: OutputFacts,
  promptTokens: number,
): number | undefined {
  const room = contextTokens - promptTokens;
  if (room < LEAST_OUTPUT_TOKENS) return undefined;
  return Math.min(maxOutputTokens, room, USUAL_OUTPUT_TOKENS);
}

/**
 * The most tokens that an answer may have: the caller's limit or the usual one, which is not sent
 * to a model that is only assumed.
 */
export function mostOutputTokens(
  requested: number | undefined,
  { maxOutputTokens, confidence }: Pick<Model, 'maxOutputTokens' | 'confidence'>,
): number {
  const usual = confidence === 'low' ? Infinity : USUAL_OUTPUT_TOKENS;
  return Math.min(requested ?? usual, maxOutputTokens);
}
