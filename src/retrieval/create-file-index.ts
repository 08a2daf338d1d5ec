import { CallError } from '#core/errors/call-error.ts';
import type { FileIndex, IndexChange } from '#core/files/file-index.ts';
import type { FileSource, FileSources, OpenFileSources } from '#core/files/file-sources.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { FileIndexStore, IndexedFile } from '#core/stores/file-index.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { searchIndex } from './search-index.ts';
import { createTurns } from './take-turns.ts';
import { createIndexWriter, type IndexWriter } from './write-index.ts';

export interface FileIndexDeps {
  readonly store: FileIndexStore;
  readonly openSources: OpenFileSources;
  readonly clock: Clock;
}

/** What one writer has read before it commits, so that much work is not lost. */
const FILES_PER_COMMIT = 200;

/** The index of files. Only one run writes to the index of a principal at a time. */
export function createFileIndex({ store, openSources, clock }: FileIndexDeps): FileIndex {
  const turns = createTurns();

  function pauseOf(signal: AbortSignalLike): () => Promise<void> {
    return async () => {
      await sleep(clock, 0);
      signal.throwIfAborted();
    };
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
          await writer.finish();
          const unchanged = [...known.values()];
          const ids = unchanged.map(({ id }) => id);
          await store.touch(principal, ids, origin);
          const stale = unchanged.filter(({ state }) => state === 'stale').map(({ id }) => id);
          await store.setState(principal, stale, 'current');
          const all = new Map((await store.files(principal)).map((file) => [file.source, file]));
          const files = [...read.seen].flatMap((source) => all.get(source) ?? []);
          const change: IndexChange = {
            files,
            added: read.added,
            unchanged: unchanged.length,
            passages: files.reduce((sum, { passages }) => sum + passages, 0),
            notices: sources.notices(),
            kept: sources.kept,
          };
          return change;
        } finally {
          await writer.close();
        }
      });
    },

    search: (query, principal, signal) => searchIndex(query, principal, store, pauseOf(signal)),

    list: (principal) => store.files(principal),

    async remove(principal, sources) {
      const files = await store.files(principal);
      const removed = files.filter((file) => sources.some((source) => isNamedBy(file, source)));
      await store.remove(
        principal,
        removed.map(({ id }) => id),
      );
      await store.clean(principal);
      return removed;
    },

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
  const folder = given.replace(/[/\\]+$/, '');
  return folder !== '' && (source.startsWith(`${folder}/`) || source.startsWith(`${folder}\\`));
}
