import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { VendorCalls } from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { ResolvedClientOptions } from './client-options.ts';

/** A request is due, and the ask may make none. */
export function callLimitError(
  { max }: VendorCalls,
  model: string,
  { provider }: Pick<ResolvedClientOptions, 'provider'>,
): CallError {
  return codedError('bad_response', reason('vendor_calls_used_up', { max }), {
    provider,
    model,
    fixes: [fix('raise_setting', { settings: ['fallback.maxVendorCalls'] })],
    dueTo: 'request',
    retry: 'never',
  });
}
