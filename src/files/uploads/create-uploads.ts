import { CallError } from '#core/errors/call-error.ts';
import type { ExtractedFile, UploadContext, UploadRequest, Uploads } from '#core/files/uploads.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { ProviderFileKey, StoredProviderFile } from '#core/stores/files.ts';
import { signalAt } from '#core/time/deadline.ts';
import { countUpload } from './count-upload.ts';
import { createUploadList } from './upload-list.ts';
import {
  deleteQuietly,
  notExtracted,
  requireProvider,
  sendFile,
  type UploadsDeps,
} from './send-file.ts';
import { createSharedWork } from './shared-work.ts';
import { OCR } from './prune-texts.ts';
import { uploadName } from './upload-name.ts';
import { createUploadSlots } from './upload-slots.ts';
import { createUploadRefusals } from './upload-refusals.ts';

/** A file that was seen at the provider more recently than this is not verified again. */
const VERIFY_MS = 3_600_000;
/** Enough to find one upload among recognised scans. */
const MAX_LOOKED_AT = 100;

type File = Omit<UploadRequest, 'purpose'>;

export function createUploads(deps: UploadsDeps): Uploads {
  const { store, clock } = deps;
  const shared = createSharedWork();
  const refusals = createUploadRefusals(deps);
  const slots = createUploadSlots(
    (provider) => descriptorOf(provider as ProviderId).uploads?.parallel ?? 1,
  );

  const keyOf = ({ sha256, provider }: File, purpose: string): ProviderFileKey => ({
    sha256,
    provider,
    account: deps.accountOf(provider),
    purpose,
  });
  const isFresh = ({ verifiedAt }: StoredProviderFile) => clock.now() - verifiedAt < VERIFY_MS;

  /** Once for equal contents, and within the provider's slots; each caller has its own deadline. */
  async function once<T>(
    what: string,
    key: ProviderFileKey,
    context: UploadContext,
    work: (context: UploadContext) => Promise<T>,
  ): Promise<T> {
    const { sha256, provider, account, purpose } = key;
    const name = JSON.stringify([what, sha256, provider, account, purpose]);
    const within = signalAt(context.deadline, clock, context.signal);
    try {
      return await shared.run(name, within, (signal) =>
        slots.run(provider, signal, () => work({ ...context, signal })),
      );
    } finally {
      within.dispose();
    }
  }

  /** Records the use, and says what goes where at the first one. */
  async function own(key: ProviderFileKey, file: File): Promise<readonly Notice[]> {
    const { principal, name, mediaType: mime, size: bytes } = file;
    const isScan = key.purpose === OCR;
    const before = await store.ownedProviderFiles(key, { principal, limit: MAX_LOOKED_AT });
    const isFirst = !before.some(({ purpose }) => (purpose === OCR) === isScan);
    await store.ownProviderFile(key, { principal, name, mime, bytes });
    const { title } = descriptorOf(file.provider);
    if (!isFirst) return [];
    return [notice(isScan ? 'first_recognition' : 'first_upload', { provider: title })];
  }

  /** Whether the provider still has the file; records that, or drops what it forgot. */
  async function isThere(row: StoredProviderFile, context: UploadContext): Promise<boolean> {
    const provider = requireProvider(row.provider as ProviderId, 'listFiles', deps);
    const files = await provider.listFiles(context);
    const isListed = files.some(({ id }) => id === row.providerFileId);
    if (isListed) await store.saveProviderFile(row);
    else await store.dropProviderFile(row);
    return isListed;
  }

  /** The extracted text of a file; undefined if the provider forgot the file. */
  async function readText(
    key: ProviderFileKey,
    fileId: string,
    context: UploadContext,
  ): Promise<string | undefined> {
    const provider = requireProvider(key.provider as ProviderId, 'fileContent', deps);
    let text: string;
    try {
      text = (await provider.fileContent(fileId, context)).replaceAll('\0', '\uFFFD');
    } catch (thrown) {
      const error = CallError.from(thrown);
      const isUnreadable = error.reason?.code === 'text_not_extracted';
      if (error.class !== 'not_found' && !isUnreadable) throw error;
      await store.dropProviderFile(key);
      if (!isUnreadable) return undefined;
      // The provider has deleted it.
      throw notExtracted(provider, error);
    }
    if (text.trim() === '') {
      await store.dropProviderFile(key);
      await deleteQuietly(fileId, provider, context, deps);
      throw notExtracted(provider);
    }
    await store.saveProviderFile({ ...key, providerFileId: fileId, text });
    return text;
  }

  async function extractNow(
    file: File,
    key: ProviderFileKey,
    context: UploadContext,
  ): Promise<Omit<ExtractedFile, 'notices' | 'sha256'>> {
    const known = await store.providerFile(key);
    if (known) {
      const fileId = known.providerFileId;
      const text = await readText(key, fileId, context);
      if (text !== undefined) return { fileId, text, state: 'ready', isCached: true };
    }
    const { fileId, state } = await sendFile({ ...file, purpose: 'extract' }, key, context, deps);
    const text = await readText(key, fileId, context);
    if (text !== undefined) return { fileId, text, state, isCached: false };
    const { title } = descriptorOf(file.provider);
    throw new CallError('bad_response', `${title} took the file and does not know it.`, {
      provider: file.provider,
    });
  }

  return {
    ...createUploadList(deps, readText),
    async upload(request, context) {
      const { sha256, purpose } = request;
      const key = keyOf(request, purpose);
      const done = await once('upload', key, context, async (inner) => {
        const known = await store.providerFile(key);
        if (known && (isFresh(known) || (await isThere(known, inner))))
          return { fileId: known.providerFileId, state: 'ready' as const, isCached: true };
        return { ...(await sendFile(request, key, inner, deps)), isCached: false };
      });
      return { ...done, sha256, notices: await own(key, request) };
    },
    async extract(file, needs, context) {
      const { sha256 } = file;
      const key = keyOf(file, 'extract');
      if (needs === 'new_try') await refusals.forget(key);
      const known = await store.providerFile(key);
      if (known && known.text !== null && (needs === 'text' || isFresh(known))) {
        const { providerFileId: fileId, text } = known;
        const notices = await own(key, file);
        return { fileId, text, sha256, state: 'ready', isCached: true, notices };
      }
      const done = await once('extract', key, context, (inner) =>
        refusals.guard(key, () => extractNow(file, key, inner)),
      );
      return { ...done, sha256, notices: await own(key, file) };
    },
    async recognise(file, context) {
      const key = keyOf(file, OCR);
      const known = await store.providerFile(key);
      if (known && known.text !== null) {
        return { text: known.text, isCached: true, notices: await own(key, file) };
      }
      const { text, used } = await once('recognise', key, context, (inner) =>
        refusals.guard(key, async () => {
          const provider = requireProvider(file.provider, 'ocr', deps);
          const name = uploadName(file.name, file.mediaType);
          countUpload(file.provider, inner);
          const read = await provider.ocr({ ...file, name }, inner);
          if (read.text.trim() === '') throw notExtracted(provider);
          const text = read.text.replaceAll('\0', '\uFFFD');
          await store.saveProviderFile({ ...key, providerFileId: '', text });
          return { ...read, text };
        }),
      );
      const notices = await own(key, file);
      return { text, isCached: false, notices, ...(used && { used }) };
    },
    async knownText(sha256, providers) {
      for (const provider of providers) {
        for (const purpose of ['extract', OCR]) {
          const account = deps.accountOf(provider);
          const row = await store.providerFile({ sha256, provider, account, purpose });
          if (row && row.text !== null) return { text: row.text, provider };
        }
      }
      return undefined;
    },
  };
}
