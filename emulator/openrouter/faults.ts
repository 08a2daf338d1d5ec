import { throughFaults } from '../openai/through-faults.ts';
import type { Ask, Fault, FaultAnswer } from '../vendor.ts';
import { bad, NO_CREDIT, noProvider, refuse, type RoutedError } from './errors.ts';

const secondsOf = (fault: Fault): number => Number(fault.with?.['seconds'] ?? 1);

/** What may be told about them. */
export const OPENROUTER_FAULT_OPTIONS = {
  F1: ['seconds'],
  'F2.budget': ['seconds'],
  F3: ['seconds'],
};

export function createOpenRouterFaults(
  modelOf: (ask: Ask) => string,
): Readonly<Record<string, FaultAnswer>> {
  const says =
    (error: (ask: Ask, fault: Fault) => RoutedError): FaultAnswer =>
    async (ask, reply, fault): Promise<'answered'> => {
      await refuse(reply, error(ask, fault));
      return 'answered';
    };
  return {
    F1: says((_, fault) => ({
      code: 429,
      message: 'Rate limit exceeded',
      metadata: {
        error_type: 'rate_limit_exceeded',
        raw: 'upstream is rate-limited, retry shortly',
        provider_name: 'Emulated',
      },
      retryAfterSeconds: secondsOf(fault),
    })),
    F2: says(() => NO_CREDIT),
    // The one 402 that passes by itself: too much is under way at the moment.
    'F2.budget': says((_, fault) => ({
      code: 402,
      message: 'Too many requests in flight for the remaining credits',
      metadata: { error_type: 'payment_required', limit_source: 'openrouter_in_flight_budget' },
      retryAfterSeconds: secondsOf(fault),
    })),
    F3: says((ask, fault) => ({
      ...noProvider(modelOf(ask)),
      retryAfterSeconds: secondsOf(fault),
    })),
    'F3.overloaded': says(() => ({
      code: 503,
      message: 'Provider returned error',
      metadata: { error_type: 'provider_overloaded', provider_name: 'Emulated', raw: 'overloaded' },
    })),
    'F3.upstream': says(() => ({
      code: 502,
      message: 'Provider returned error',
      metadata: {
        error_type: 'provider_unavailable',
        provider_name: 'Emulated',
        raw: 'bad gateway',
      },
    })),
    'F3.timeout': says(() => ({
      code: 408,
      message: 'Request timed out',
      metadata: { error_type: 'timeout' },
    })),
    F10: says((ask) => bad(`${modelOf(ask)} is not a valid model ID`)),
    'F11.moderation': says((ask) => ({
      code: 403,
      message: 'Input was flagged by moderation',
      metadata: {
        error_type: 'content_policy_violation',
        reasons: ['violence'],
        flagged_input: 'emulated',
        provider_name: 'Emulated',
        model_slug: modelOf(ask),
      },
    })),
    F16: says(() => ({ code: 401, message: 'User not found.' })),
    ...throughFaults('F11.content_filter'),
  };
}
