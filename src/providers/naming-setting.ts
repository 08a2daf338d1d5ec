import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import type { ProviderId } from '#core/provider.ts';
import { shownUrl } from './wire/shown-url.ts';

/** Where a provider is asked, and the setting that says so. */
export interface Asked {
  readonly provider: ProviderId;
  readonly setting: string;
  readonly baseUrl: string;
  /** What is asked without the setting; empty when nothing is. */
  readonly usual: string;
}

/** What a wrong address looks like. Of the first two the network may know more, such as whose certificate is missing. */
const LOST: ReadonlySet<ErrorClass> = new Set(['network', 'timeout', 'not_found']);

/** A check that finds nobody, or nothing of what it looks for, says which setting has the address. */
export async function namingSetting<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { provider, setting } = asked;
    const error = CallError.from(thrown, { provider });
    const { class: errorClass, message, fixes, retryAfterMs, cause } = error;
    const isTold =
      fixes.length > 0 &&
      (errorClass !== 'not_found' || fixes.some((each) => names(each, setting)));
    if (!LOST.has(errorClass) || isTold) throw error;
    throw new CallError(errorClass, message, {
      provider,
      fixes: addressFixes(asked),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: cause ?? error,
    });
  }
}

function names({ params }: Fix, setting: string): boolean {
  return 'setting' in params && params.setting === setting;
}

function addressFixes({ setting, baseUrl, usual }: Asked): readonly Fix[] {
  if (baseUrl === usual) {
    return [fix('check_network'), fix('set_setting', { setting, value: 'the address to ask' })];
  }
  const address = shownUrl(baseUrl);
  return [fix('check_address', { setting, address, ...(usual !== '' && { usual }) })];
}
