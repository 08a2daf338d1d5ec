import type { ErrorClass } from '#core/errors/error-class.ts';
import type { AttemptRecord } from '#core/stores/calls.ts';
import type { Breakers } from '#resilience/breaker-types.ts';

/** A provider that failed the last request to it. */
export interface FailingProvider {
  readonly provider: string;
  readonly errorClass: ErrorClass;
}

/** Failures that say something about the provider or its account, not about the request. */
const OF_PROVIDERS: ReadonlySet<string> = new Set<ErrorClass>([
  'auth',
  'billing',
  'quota',
  'network',
  'timeout',
  'overloaded',
  'provider_error',
]);

export interface FailingProviders {
  record(attempts: readonly AttemptRecord[]): void;
  /** Forgets the failure of a provider that works again. */
  forget(provider: string): void;
  /** Those of this process, and accounts that an earlier one found refused. */
  list(): readonly FailingProvider[];
}

export function createFailingProviders(breakers: Pick<Breakers, 'all'>): FailingProviders {
  const failing = new Map<string, ErrorClass>();
  return {
    record(attempts) {
      for (const { provider, outcome } of attempts) {
        if (outcome === 'ok') failing.delete(provider);
        else if (OF_PROVIDERS.has(outcome)) failing.set(provider, outcome);
      }
    },
    forget: (provider) => void failing.delete(provider),
    list() {
      const found = new Map(failing);
      for (const { key, is, reason } of breakers.all()) {
        const isAccount = !key.includes('/');
        if (!isAccount || is === 'closed' || reason?.code !== 'breaker_open') continue;
        const [errorClass] = reason.params.classes;
        if (errorClass) found.set(key, errorClass);
      }
      return [...found].map(([provider, errorClass]) => ({ provider, errorClass }));
    },
  };
}
