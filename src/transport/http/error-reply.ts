import type { CallError } from '#core/call-error.ts';
import { BEARER_CHALLENGE } from './bearer.ts';
import { json, type Reply } from './route.ts';

/** The one mapping from a failure to an HTTP answer. */
export function toErrorReply(error: CallError): Reply {
  return json(error.policy.status, { error }, hints(error));
}

function hints({ class: errorClass, retryAfterMs }: CallError): Record<string, string> {
  return {
    ...(errorClass === 'auth' && { 'www-authenticate': BEARER_CHALLENGE }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  };
}
