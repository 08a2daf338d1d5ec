import type { ErrorClass } from '#core/errors/error-class.ts';

const PROVEN: ReadonlySet<ErrorClass> = new Set([
  'auth',
  'billing',
  'quota',
  'permission',
  'network',
  'timeout',
]);

/**
 * Whether a provider that accepts its key disproves a failure of this class. A rate limit and a
 * model that is gone are not disproved.
 */
export function isProvenByKeyTest(errorClass: ErrorClass): boolean {
  return PROVEN.has(errorClass);
}
