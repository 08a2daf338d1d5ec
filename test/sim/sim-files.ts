import type {
  OwnedProviderFile,
  ProviderFileKey,
  ProviderFileStore,
  StoredProviderFile,
} from '#core/stores/files.ts';
import type { Disk } from './disk.ts';

/** What was uploaded, as a disk has it. */
export interface SimFiles {
  readonly rows: Map<string, StoredProviderFile>;
  readonly owners: Map<string, Omit<OwnedProviderFile, 'providerFileId' | 'text' | 'verifiedAt'>>;
}

const keyOf = ({ sha256, provider, account, purpose }: ProviderFileKey) =>
  JSON.stringify([sha256, provider, account, purpose]);

/** Uploads as a store keeps them: they are on the disk when the write is answered. */
export function createSimFiles(
  { files }: Pick<Disk, 'files'>,
  now: () => number,
  write: (apply: () => void) => Promise<void>,
): ProviderFileStore {
  const { rows, owners } = files;
  return {
    providerFile: async (key) => rows.get(keyOf(key)),
    saveProviderFile: ({ sha256, provider, account, purpose, providerFileId, text }) => {
      const key = { sha256, provider, account, purpose };
      const row = { ...key, providerFileId, text, verifiedAt: now() };
      return write(() => void rows.set(keyOf(key), row));
    },
    dropProviderFile: (key) => write(() => void rows.delete(keyOf(key))),
    ownProviderFile: ({ sha256, provider, account, purpose }, owner) => {
      const key = { sha256, provider, account, purpose };
      const at = { createdAt: now(), usedAt: now() };
      return write(
        () => void owners.set(keyOf(key) + owner.principal, { ...key, ...owner, ...at }),
      );
    },
    async ownedProviderFiles({ provider, account }, { principal, providerFileId, limit }) {
      const found = [...owners.values()].flatMap((owner) => {
        const row = rows.get(keyOf(owner));
        const isMeant =
          owner.provider === provider &&
          owner.account === account &&
          (principal === undefined || owner.principal === principal) &&
          (providerFileId === undefined || row?.providerFileId === providerFileId);
        return row && isMeant ? [{ ...owner, ...row }] : [];
      });
      return found.slice(0, limit);
    },
    async disownProviderFile(key, principal) {
      await write(() => void owners.delete(keyOf(key) + principal));
      return [...owners.keys()].some((each) => each.startsWith(keyOf(key))) ? 'shared' : 'last';
    },
    async pruneProviderTexts(purpose, beforeMs) {
      const old = [...rows.values()].filter(
        (row) => row.purpose === purpose && row.providerFileId === '' && row.verifiedAt < beforeMs,
      );
      await write(() => old.forEach((row) => rows.delete(keyOf(row))));
      return old.length;
    },
    // Documents of simulated calls have their texts from the start.
    pruneLocalTexts: async () => 0,
  };
}
