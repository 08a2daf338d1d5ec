import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import type { Reason } from '#core/messages/reasons.ts';
import { findProvider } from '#core/providers/list.ts';

/**
 * What helps against open breakers, by the failure that opened each: a refused key is tested or
 * replaced, an empty account is topped up, and everything else passes with time.
 */
export function breakerFixes(reasons: readonly Reason[], retryAfterMs = 0): readonly Fix[] {
  const causes = reasons.map(causeOf);
  const providersOf = (...classes: readonly ErrorClass[]) => [
    ...new Set(
      causes.flatMap(({ class: each, provider }) =>
        each !== undefined && classes.includes(each) ? [provider] : [],
      ),
    ),
  ];
  const passes = causes.some(({ class: each }) => each !== 'auth' && each !== 'billing');
  return [
    ...(passes ? [fix('retry', { afterMs: retryAfterMs })] : []),
    ...providersOf('auth').flatMap((provider) => [
      fix('test_key', { provider }),
      fix('add_key', { provider }),
    ]),
    ...providersOf('billing', 'quota').map((provider) =>
      fix('top_up', { provider: findProvider(provider)?.title ?? provider, key: provider }),
    ),
  ];
}

/** The provider, and the failure that opened its breaker, if that was a single one. */
function causeOf(why: Reason): { readonly provider: string; readonly class?: ErrorClass } {
  if (why.code !== 'breaker_open') return { provider: '' };
  const { key, classes } = why.params;
  const [provider = ''] = key.split('/');
  const [first] = classes;
  return { provider, ...(first && { class: first }) };
}
