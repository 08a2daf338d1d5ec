import type { ErrorClass } from '../errors/error-class.ts';

/** The command that helps with a provider that failed in this way, after a colon. */
export function providerHelp(provider: string, errorClass: ErrorClass): string {
  if (errorClass === 'auth') return `exai keys add ${provider}`;
  const isUnpaid = errorClass === 'billing' || errorClass === 'quota';
  return isUnpaid ? `top it up at the provider, then: exai keys test ${provider}` : 'exai doctor';
}
