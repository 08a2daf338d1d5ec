import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { ProviderFileKey } from '#core/stores/files.ts';
import { REFUSED, REFUSED_MS } from './prune-texts.ts';
import type { UploadsDeps } from './send-file.ts';

/** Errors by which a provider refuses a content from every sender. */
const OF_CONTENT: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'bad_request',
  'too_large',
  'content_filter',
]);

/** Contents that a provider could not extract, by key, across restarts and for some hours. */
export interface UploadRefusals {
  /** Runs the work unless the content was refused; a refusal by the provider is recorded. */
  guard<T>(key: ProviderFileKey, work: () => Promise<T>): Promise<T>;
  forget(key: ProviderFileKey): Promise<void>;
}

export function createUploadRefusals({
  store,
  clock,
}: Pick<UploadsDeps, 'store' | 'clock'>): UploadRefusals {
  const refusalOf = (key: ProviderFileKey): ProviderFileKey => ({ ...key, purpose: REFUSED });
  return {
    async guard(key, work) {
      const refusal = refusalOf(key);
      const known = await store.providerFile(refusal);
      if (known && clock.now() - known.verifiedAt < REFUSED_MS) throw refusedBefore(key);
      try {
        return await work();
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (isOfContent(error))
          await store.saveProviderFile({ ...refusal, providerFileId: '', text: null });
        throw error;
      }
    },
    forget: (key) => store.dropProviderFile(refusalOf(key)),
  };
}

function isOfContent({ class: errorClass, reason: why }: CallError): boolean {
  return OF_CONTENT.has(errorClass) || why?.code === 'text_not_extracted';
}

function refusedBefore({ provider }: ProviderFileKey): CallError {
  const { title } = descriptorOf(provider as ProviderId);
  return codedError('provider_error', reason('refused_before', { provider: title }), {
    provider: provider as ProviderId,
    retry: 'never',
    dueTo: 'request',
    fix: 'Send it to kimi_upload_and_extract with `force: true` to try again.',
  });
}
