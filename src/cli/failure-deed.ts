import type { Attempt } from '#core/envelope.schema.ts';

const DEEDS: Partial<Record<Attempt['outcome'], string>> = {
  provider_error: 'failed',
  timeout: 'took too long',
  interrupted: 'broke off',
  network: 'hung up or could not be reached',
  overloaded: 'was overloaded',
  rate_limit: 'asked to slow down',
  auth: 'did not accept the key',
  quota: 'had no allowance left',
  billing: 'wanted payment',
  not_found: 'does not exist any more',
  context_length: 'had too small a window',
  too_large: 'had too small a window',
  content_filter: 'refused the content',
  empty_response: 'said nothing',
  bad_response: 'answered something unusable',
  breaker_open: 'was resting',
};

/** What a model did instead of answering, to stand behind its name. */
export function failureDeed(outcome: Attempt['outcome']): string {
  return DEEDS[outcome] ?? `failed with ${outcome}`;
}
