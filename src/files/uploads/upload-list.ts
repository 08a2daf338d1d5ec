import { CallError } from '#core/errors/call-error.ts';
import type { ListedUpload, UploadContext, UploadOwner, Uploads } from '#core/files/uploads.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { OwnedProviderFile, ProviderFileKey } from '#core/stores/files.ts';
import { requireProvider, type UploadsDeps } from './send-file.ts';

/** More than a provider keeps for an account. */
const MAX_LISTED = 10_000;
/** Unused files at once: each row has its text. */
const MAX_UNUSED = 50;

type ReadText = (
  key: ProviderFileKey,
  fileId: string,
  context: UploadContext,
) => Promise<string | undefined>;

/** What was uploaded: lists it, reads it, and deletes it. A principal finds its own files alone. */
export function createUploadList(
  deps: UploadsDeps,
  readText: ReadText,
): Pick<Uploads, 'textOf' | 'list' | 'unused' | 'delete'> {
  const { store } = deps;

  async function owned(
    { provider, principal, scope }: UploadOwner,
    providerFileId?: string,
  ): Promise<readonly OwnedProviderFile[]> {
    const rows = await store.ownedProviderFiles(
      { provider, account: deps.accountOf(provider) },
      {
        ...(scope === 'own' && { principal }),
        ...(providerFileId !== undefined && { providerFileId }),
        limit: MAX_LISTED,
      },
    );
    // Recognised scans leave no file at the provider.
    return rows.filter((row) => row.providerFileId !== '');
  }

  return {
    async textOf(fileId, owner, context) {
      const [row] = await owned(owner, fileId);
      if (row && row.text !== null) return { name: row.name, text: row.text };
      if (!row && owner.scope === 'own') throw unknownFile(fileId, owner);
      if (!row) {
        const provider = requireProvider(owner.provider, 'fileContent', deps);
        return { name: fileId, text: await provider.fileContent(fileId, context) };
      }
      const { sha256, provider, account, purpose } = row;
      const text = await readText({ sha256, provider, account, purpose }, fileId, context);
      if (text === undefined) throw unknownFile(fileId, owner);
      return { name: row.name, text };
    },
    async list(owner, context) {
      const rows = await owned(owner);
      if (owner.scope === 'own') return rows.map(toListed);
      const provider = requireProvider(owner.provider, 'listFiles', deps);
      const files = await provider.listFiles(context);
      return files.map(({ id, name, size, purpose, createdAtMs }): ListedUpload => {
        const ours = rows.filter(({ providerFileId }) => providerFileId === id);
        const [first] = ours;
        return {
          fileId: id,
          name,
          bytes: size,
          purpose,
          createdAtMs,
          ...(first && {
            sha256: first.sha256,
            principals: ours.map(({ principal }) => principal),
          }),
        };
      });
    },
    async unused(provider, beforeMs) {
      const account = deps.accountOf(provider);
      const rows = await store.ownedProviderFiles(
        { provider, account },
        { unusedSince: beforeMs, limit: MAX_UNUSED },
      );
      return rows.map(({ providerFileId: fileId, principal }) => ({ fileId, principal }));
    },
    async delete(fileId, owner, context) {
      const rows = await owned(owner, fileId);
      if (rows.length === 0 && owner.scope === 'own') throw unknownFile(fileId, owner);
      const provider = requireProvider(owner.provider, 'deleteFile', deps);
      const all = await owned({ ...owner, scope: 'account' }, fileId);
      const isShared = all.some(({ principal }) => principal !== owner.principal);
      // The only owner stays until the provider has deleted the file.
      if (owner.scope === 'own' && isShared) {
        const ends = await Promise.all(
          rows.map((row) => store.disownProviderFile(row, owner.principal)),
        );
        if (ends.includes('shared')) return 'shared';
      }
      const deleted = await provider.deleteFile(fileId, context);
      for (const row of rows) {
        await store.disownProviderFile(row, row.principal);
        await store.dropProviderFile(row);
      }
      return deleted;
    },
  };
}

function toListed(row: OwnedProviderFile): ListedUpload {
  const { providerFileId, name, bytes, purpose, createdAt, sha256 } = row;
  return { fileId: providerFileId, name, bytes, purpose, createdAtMs: createdAt, sha256 };
}

/** Also for a file of another principal, which must not be told apart from none. */
function unknownFile(fileId: string, { provider }: UploadOwner): CallError {
  const { title } = descriptorOf(provider);
  return new CallError('not_found', `You have uploaded no file ${fileId} to ${title}.`, {
    field: 'file_ids',
    provider,
    fix: 'List your files with kimi_manage_files.',
  });
}
