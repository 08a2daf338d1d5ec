import {
  FILE_METHODS,
  type CopiesDeletion,
  type DeletedFile,
  type FileList,
  type FilePiece,
  type FileSummary,
  type PruneResult,
} from '#core/files/file-admin.ts';
import { formatQuantity } from '#core/text/format.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatLocalTime } from '../format/text.ts';
import type { Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

/** The result of each method. */
interface FileResults {
  list: FileList;
  show: FileSummary;
  add: FileSummary;
  content: FilePiece;
  delete: DeletedFile;
  prune: PruneResult;
}

export type CallFiles = <Method extends keyof FileResults>(
  method: Method,
  params: Readonly<Record<string, unknown>>,
) => Promise<FileResults[Method]>;

/** Storing or pruning many megabytes takes a while. */
const TIMEOUT_MS = 600_000;

/** Runs work with the owner's stored files. The daemon is started if needed. */
export function runWithFiles<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (call: CallFiles) => Promise<T>,
): Promise<T> {
  return runWithDaemon(io, (client) =>
    work(
      async <Method extends keyof FileResults>(method: Method, params: object) =>
        (await client.request(FILE_METHODS[method], params, {
          timeoutMs: TIMEOUT_MS,
        })) as FileResults[Method],
    ),
  );
}

const UNITS = [
  ['GB', 1_000_000_000],
  ['MB', 1_000_000],
  ['kB', 1_000],
] as const;

/** `12 bytes`, `3.4 kB`, `20 MB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = UNITS.find(([, each]) => bytes >= each) ?? [];
  if (unit === undefined || size === undefined) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${(bytes / size).toFixed(1).replace(/\.0$/, '')} ${unit}`;
}

export function describeFileCount(count: number): string {
  return formatQuantity(count, 'file');
}

/** A file as a row: id, size, creation, last use, copies, name. */
export function fileRow(file: FileSummary, io: Pick<Io, 'paint'>): readonly string[] {
  return [
    io.paint('bold', escapeControls(file.id)),
    formatBytes(file.bytes),
    io.paint('dim', formatLocalTime(file.created, 'minute')),
    io.paint('dim', `used ${formatLocalTime(file.used, 'minute')}`),
    [...new Set(file.copies.map(({ provider }) => provider))].join(' '),
    escapeControls(file.name),
  ];
}

/** What became of the copies at providers; empty if there were none. */
export function describeCopies({ deleted, shared, failed }: CopiesDeletion): string {
  const lines = [
    ...(deleted > 0 ? [`Deleted at providers: ${deleted}.`] : []),
    ...(shared > 0 ? [`Kept at providers, as another client uses them: ${shared}.`] : []),
    ...failed.map(
      ({ provider, fileId, error }) =>
        `${escapeControls(provider)} still has ${escapeControls(fileId)}: ${escapeControls(error)}`,
    ),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
