import { CallError } from '#core/errors/call-error.ts';
import type { FileIndex, IndexChange } from '#core/files/file-index.ts';
import type { FileSource, FileSources, OpenFileSources } from '#core/files/file-sources.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { FileIndexStore, IndexedFile } from '#core/stores/file-index.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { Notice } from '#core/messages/notices.ts';
import { searchIndex } from './search-index.ts';
import { createTurns } from './take-turns.ts';
import { embeddingsFailed } from './vectors/embeddings-failed.ts';
import { embedPassages } from './vectors/embed-passages.ts';
import { createVectorThread } from './vectors/vector-thread.ts';
import { createIndexWriter, type IndexWriter } from './write-index.ts';

export interface FileIndexDeps {
  readonly store: FileIndexStore;
  readonly openSources: OpenFileSources;
  readonly clock: Clock;
  /** What makes vectors, as the settings say; absent: passages are found by keywords alone. */
  readonly embedder?: () => PassageEmbedder | undefined;
}

/** What one writer has read before it commits, so that much work is not lost. */
const FILES_PER_COMMIT = 200;

/** The index of files. Only one run writes to the index of a principal at a time. */
export function createFileIndex(deps: FileIndexDeps): FileIndex {
  const { store, openSources, clock, embedder = () => undefined } = deps;
  const turns = createTurns();
  const thread = createVectorThread(clock);

  function pauseOf(signal: AbortSignalLike): () => Promise<void> {
    return async () => {
      await sleep(clock, 0);
      signal.throwIfAborted();
    };
  }

  /** Without vectors everything is found by keywords, so that a failure is a notice. */
  async function embedAll(principal: string, signal: AbortSignalLike): Promise<readonly Notice[]> {
    const using = embedder();
    if (!using) return [];
    try {
      const pause = pauseOf(signal);
      await embedPassages({ principal, store, embedder: using, signal, pause });
      return [];
    } catch (thrown) {
      signal.throwIfAborted();
      return [embeddingsFailed(thrown)];
    }
  }

  return {
    async add(inputs, { field, origin, onProgress, earlier = [], unreadable }, context) {
      const { principal } = context.caller;
      const { signal } = context;
      const known = new Map<string, IndexedFile>();
      const isKnown = async (source: string, sha256: string) => {
        const file = await store.find(principal, source);
        if (file?.sha256 !== sha256) return false;
        known.set(source, file);
        return true;
      };
      const sources = await openSources(
        inputs,
        { field, isKnown, earlier, ...(unreadable && { unreadable }) },
        context,
      );
      if ('inputRequests' in sources) return sources;
      return turns.take(principal, signal, async () => {
        const writer = createIndexWriter(principal, store, signal, pauseOf(signal));
        try {
          const read = await writeAll(sources, writer, {
            origin,
            ...(onProgress && { onProgress }),
          });
          const unchanged = [...known.values()];
          const ids = unchanged.map(({ id }) => id);
          await store.touch(principal, ids, origin);
          const failed: Notice[] = [];
          await writer.finish(async () => {
            // What is merged later keeps its vectors.
            if (origin === 'added') failed.push(...(await embedAll(principal, signal)));
          });
          const stale = unchanged.filter(({ state }) => state === 'stale').map(({ id }) => id);
          await store.setState(principal, stale, 'current');
          const all = new Map((await store.files(principal)).map((file) => [file.source, file]));
          const files = [...read.seen].flatMap((source) => all.get(source) ?? []);
          const change: IndexChange = {
            files,
            added: read.added,
            unchanged: unchanged.length,
            passages: files.reduce((sum, { passages }) => sum + passages, 0),
            notices: [...sources.notices(), ...failed],
            kept: sources.kept,
          };
          return change;
        } finally {
          await writer.close();
        }
      });
    },

    search: (query, principal, signal) => {
      const using = embedder();
      return searchIndex(
        query,
        principal,
        { store, ...(using && { vectors: { store, embedder: using, thread } }) },
        { signal, pause: pauseOf(signal) },
      );
    },

    list: (principal) => store.files(principal),

    async remove(principal, sources) {
      const files = await store.files(principal);
      const removed = files.filter((file) => sources.some((source) => isNamedBy(file, source)));
      await store.remove(
        principal,
        removed.map(({ id }) => id),
      );
      const folders = await store.folders(principal);
      const ended = folders.filter((folder) => sources.some((source) => isWithin(folder, source)));
      await store.removeFolders(principal, ended);
      await store.clean(principal);
      return removed;
    },

    folders: (principal) => store.folders(principal),

    follow: (principal, sources) => store.addFolders(principal, sources),

    async markStale(principal, sources) {
      const gone = new Set(sources);
      const files = await store.files(principal);
      const ids = files.filter(({ source }) => gone.has(source)).map(({ id }) => id);
      await store.setState(principal, ids, 'stale');
    },
  };
}

type WriteOptions = Pick<Parameters<FileIndex['add']>[1], 'origin' | 'onProgress'>;

async function writeAll(
  { files, total }: FileSources,
  writer: IndexWriter,
  { origin, onProgress }: WriteOptions,
): Promise<{ readonly seen: ReadonlySet<string>; readonly added: number }> {
  const seen = new Set<string>();
  let added = 0;
  for await (const file of files) {
    onProgress?.({ done: seen.size, total, name: file.name });
    if (seen.has(file.source)) continue;
    seen.add(file.source);
    if (!file.content) continue;
    await addFile(file, file.content, writer, origin);
    added += 1;
    if (added % FILES_PER_COMMIT === 0) await writer.commit();
  }
  return { seen, added };
}

async function addFile(
  { source, name, sha256, bytes }: FileSource,
  { text, is }: NonNullable<FileSource['content']>,
  writer: IndexWriter,
  origin: WriteOptions['origin'],
): Promise<void> {
  try {
    await writer.add({ source, name, sha256, bytes, origin }, is, text);
  } catch (thrown) {
    throw CallError.from(thrown);
  }
}

/** Whether a name means the file: its source, its name, its id, or a folder above it. */
function isNamedBy({ id, source, name }: IndexedFile, given: string): boolean {
  if (given === source || given === name || given === String(id)) return true;
  return isWithin(source, given);
}

/** Whether a path is the folder, or below it. */
function isWithin(path: string, given: string): boolean {
  const folder = given.replace(/[/\\]+$/, '');
  if (folder === '') return false;
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}
