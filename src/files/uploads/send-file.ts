import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UploadContext, UploadRequest } from '#core/files/uploads.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { ProviderFileKey, ProviderFileStore } from '#core/stores/files.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { checkedBytes } from './checked-bytes.ts';
import { countUpload } from './count-upload.ts';
import { uploadName } from './upload-name.ts';

export interface UploadsDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly store: ProviderFileStore;
  /** The digest of the account whose key is set; files of another account are not found. */
  accountOf(provider: ProviderId): string;
  readonly clock: Clock;
  /** Ends work without callers, at shutdown. */
  readonly stopped: AbortSignalLike;
}

/** The time for deleting a useless file; it is deleted after a cancellation, too. */
const CLEAN_UP_MS = 5_000;
const MB = 1024 * 1024;

/** Sends a file to a provider and records it. What cannot be recorded is deleted there again. */
export async function sendFile(
  request: UploadRequest,
  key: ProviderFileKey,
  context: UploadContext,
  deps: UploadsDeps,
): Promise<{ readonly fileId: string; readonly state: 'ready' | 'pending' }> {
  const provider = requireProvider(request.provider, 'upload', deps);
  checkSize(request);
  const { mediaType, size, purpose } = request;
  const name = uploadName(request.name, mediaType);
  countUpload(request.provider, context);
  const checked = checkedBytes(request, context.onSent && ((bytes) => context.onSent?.(bytes)));
  const uploaded = await provider.upload(
    { name, mediaType, size, purpose, bytes: () => checked.bytes() },
    context,
  );
  const { id: fileId } = uploaded;
  try {
    checked.requireUnchanged();
    // Another daemon on the same store may have been faster.
    const other = await deps.store.providerFile(key);
    if (other && other.providerFileId !== fileId) {
      await deleteQuietly(fileId, provider, context, deps);
      return { fileId: other.providerFileId, state: 'ready' };
    }
    await deps.store.saveProviderFile({ ...key, providerFileId: fileId, text: null });
  } catch (thrown) {
    await deleteQuietly(fileId, provider, context, deps);
    throw thrown;
  }
  return { fileId, state: uploaded.state === 'pending' ? 'pending' : 'ready' };
}

/** Deletes a file that is of no use; whether that succeeds does not matter to the caller. */
export async function deleteQuietly(
  fileId: string,
  provider: Provider,
  context: ProviderContext,
  { clock, stopped }: Pick<UploadsDeps, 'clock' | 'stopped'>,
): Promise<void> {
  try {
    await provider.deleteFile?.(fileId, {
      signal: stopped,
      deadline: deadlineIn(clock, CLEAN_UP_MS),
      onVendorRequest: (exchange) => context.onVendorRequest?.(exchange),
    });
  } catch {
    // It counts against the account until `kimi_manage_files` removes it.
  }
}

type FileOperation = 'upload' | 'fileContent' | 'listFiles' | 'deleteFile' | 'ocr';

/** A provider that has the operation. */
export function requireProvider<Operation extends FileOperation>(
  id: ProviderId,
  operation: Operation,
  { providers }: Pick<UploadsDeps, 'providers'>,
): Provider & Required<Pick<Provider, Operation>> {
  const provider = providers.get(id);
  if (provider && has(provider, operation)) return provider;
  const title = provider?.title ?? id;
  throw new CallError('not_configured', `${title} takes no files for this.`, { provider: id });
}

function has<Operation extends FileOperation>(
  provider: Provider,
  operation: Operation,
): provider is Provider & Required<Pick<Provider, Operation>> {
  return provider[operation] !== undefined;
}

function checkSize({ provider, size, name }: UploadRequest): void {
  const { uploads, title } = descriptorOf(provider);
  if (size === 0)
    throw new CallError('validation', `${name} is empty.`, {
      provider,
      field: 'files',
      fix: 'Send a file with content.',
    });
  if (!uploads || size <= uploads.maxBytes) return;
  const limit = uploads.maxBytes / MB;
  throw new CallError('too_large', `${name} has more than the ${limit} MB that ${title} takes.`, {
    provider,
    field: 'files',
    fix: 'Split it, or send only the part that matters.',
  });
}

/** The error of an extraction without a text: of the file, not of the provider. */
export function notExtracted(provider: Pick<Provider, 'id' | 'title'>, cause?: unknown): CallError {
  return codedError('provider_error', reason('text_not_extracted', { provider: provider.title }), {
    provider: provider.id,
    retry: 'never',
    dueTo: 'request',
    fix: 'Check that it opens and is not protected; its text can be sent as well.',
    cause,
  });
}
