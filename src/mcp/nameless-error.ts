import type { CallError } from '#core/call-error.ts';

/** The answer to a line that could not be read, so that nobody knows which request it was. */
export function namelessError(error: CallError): string {
  const { message } = error;
  const data = { error_class: error.class };
  return JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: error.policy.rpcCode, message, data },
  });
}
