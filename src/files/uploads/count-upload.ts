import { codedError } from '#core/errors/coded-error.ts';
import type { UploadContext } from '#core/files/uploads.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';

/**
 * Counts an upload as a request of its question. Half of the requests are kept for the answer and
 * its fallbacks; an upload beyond them is refused.
 */
export function countUpload(
  provider: ProviderId,
  { vendorCalls }: Pick<UploadContext, 'vendorCalls'>,
): void {
  if (!vendorCalls) return;
  const { left, max } = vendorCalls;
  if (left <= Math.ceil(max / 2)) {
    throw codedError('bad_response', reason('vendor_calls_used_up', { max }), {
      provider,
      fixes: [fix('raise_setting', { settings: ['fallback.maxVendorCalls'] })],
      dueTo: 'request',
      retry: 'never',
    });
  }
  vendorCalls.count();
}
