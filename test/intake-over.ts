import { createHash } from 'node:crypto';
import type { FileIntake } from '#core/files/file-intake.ts';
import { createIds } from '#core/ids.ts';
import type { FileStore, StoredFile } from '#core/stores/files.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import type { Workspace } from '#core/workspace.ts';
import { createFileIntake } from '#files/intake/create-file-intake.ts';
import {
  dropAmbiguousPaths,
  relativeToRoot,
  resolveInRoot,
} from '#tools/shared/attachment-paths.ts';
import { findClientRoots, ownership } from '#tools/shared/client-roots.ts';
import { createFakeClock } from './fake-clock.ts';

/** The real intake over a workspace that is a function, for tests of tools. */
export function intakeOver(
  { read }: Pick<Workspace, 'read'>,
  files: FileStore = createMemoryFiles(),
): FileIntake {
  const clock = createFakeClock();
  let seed = 0;
  return createFileIntake({
    workspace: workspaceOver(read),
    files,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes).fill(++seed)),
    secrets: 'off',
    // Texts that are not valid UTF-8.
    extractor: async () => ({
      extract: async (bytes) => ({
        format: 'text',
        mediaType: 'text/plain',
        parts: [{ place: { is: 'document' }, markdown: new TextDecoder().decode(bytes) }],
        notices: [],
      }),
    }),
    folders: {
      find: findClientRoots,
      ownership,
      place: resolveInRoot,
      shorten: relativeToRoot,
      dropAmbiguous: dropAmbiguousPaths,
    },
  });
}

function workspaceOver(read: Workspace['read']): Pick<Workspace, 'list' | 'open'> {
  const known = new Map<string, string>();
  return {
    async list(paths, field, by) {
      if (paths.length === 0) return [];
      const { texts, notices } = await read(paths, field, by);
      const leftOut = { add: () => undefined, notices: () => notices };
      return texts.map(({ name, text }) => {
        known.set(name, text);
        const index = paths.findIndex((path) => name.startsWith(path));
        const within = { is: 'folder', leftOut } as const;
        return {
          name: attachmentName(name),
          path: name,
          index: Math.max(0, index),
          ...(paths.includes(name) && notices.length === 0 ? {} : { within }),
        };
      });
    },
    async *open(paths) {
      for (const path of paths) {
        const bytes = Buffer.from(known.get(path) ?? '');
        yield { name: path, path, bytes, sha256: path };
      }
    },
  };
}

/** Stored files in memory, without content that can be read in ranges. */
function createMemoryFiles(): FileStore {
  const kept = new Map<string, { readonly file: StoredFile; readonly bytes: Uint8Array }>();
  const find = (id: string, principal: string) => {
    const found = kept.get(id);
    return found?.file.principal === principal ? found : undefined;
  };
  return {
    async write(about, chunks) {
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      const bytes = Buffer.concat(all);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = { ...about, sha256, bytes: bytes.length, createdAt: 0, usedAt: 0 };
      kept.set(about.id, { file, bytes });
      return file;
    },
    get: async (id, principal) => find(id, principal)?.file,
    async read(id, principal) {
      const found = find(id, principal);
      if (!found) return undefined;
      const { file, bytes } = found;
      return {
        file,
        chunks: (async function* () {
          yield bytes;
        })(),
      };
    },
    touch: async () => undefined,
    list: async () => [],
    delete: async (id) => void kept.delete(id),
    providerFile: async () => undefined,
    saveProviderFile: async () => undefined,
    dropProviderFile: async () => undefined,
    ownProviderFile: async () => undefined,
    ownedProviderFiles: async () => [],
    pruneProviderTexts: async () => 0,
    pruneLocalTexts: async () => 0,
    disownProviderFile: async () => 'last',
  };
}
