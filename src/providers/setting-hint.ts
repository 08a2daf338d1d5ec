import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { redactUrl } from './openai-compatible/http.ts';

/** The address of a provider and the setting it comes from. */
export interface SettingAddress {
  readonly provider: ProviderId;
  readonly setting: string;
  readonly baseUrl: string;
  /** The default address; empty when there is none. */
  readonly usual: string;
}

/**
 * Error classes that a wrong address leads to. For the first two the network may already have a
 * fix, such as a missing certificate.
 */
const ADDRESS_ERRORS: ReadonlySet<ErrorClass> = new Set(['network', 'timeout', 'not_found']);

/**
 * Runs a check of a provider, and adds the setting of the address as a fix when the address may be
 * wrong.
 */
export async function withSettingHint<T>(
  address: SettingAddress,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { provider, setting } = address;
    const error = CallError.from(thrown, { provider });
    const { class: errorClass, message, fixes, retryAfterMs, cause } = error;
    const hasFix =
      fixes.length > 0 &&
      (errorClass !== 'not_found' || fixes.some((each) => names(each, setting)));
    if (!ADDRESS_ERRORS.has(errorClass) || hasFix) throw error;
    throw new CallError(errorClass, message, {
      provider,
      fixes: addressFixes(address),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: cause ?? error,
    });
  }
}

function names({ params }: Fix, setting: string): boolean {
  return 'setting' in params && params.setting === setting;
}

function addressFixes({ setting, baseUrl, usual }: SettingAddress): readonly Fix[] {
  if (baseUrl === usual) {
    return [fix('check_network'), fix('set_setting', { setting, value: 'the address to ask' })];
  }
  const address = redactUrl(baseUrl);
  return [fix('check_address', { setting, address, ...(usual !== '' && { usual }) })];
}
