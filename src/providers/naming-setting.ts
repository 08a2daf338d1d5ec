import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
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
    const { class: errorClass, message, fix, retryAfterMs, cause } = error;
    const isTold = fix !== undefined && (errorClass !== 'not_found' || fix.includes(setting));
    if (!LOST.has(errorClass) || isTold) throw error;
    throw new CallError(errorClass, message, {
      provider,
      fix: addressFix(asked),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: cause ?? error,
    });
  }
}

function addressFix({ setting, baseUrl, usual }: Asked): string {
  if (baseUrl === usual)
    return `Look at the network and its proxies: exai doctor. ${setting} says where to ask.`;
  const shown = shownUrl(baseUrl);
  return usual === ''
    ? `${setting} is ${shown}; is the server running there?`
    : `${setting} is ${shown}; unset it for ${usual}`;
}
