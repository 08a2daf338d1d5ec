import {
  INDEX_METHODS,
  type IndexAddResult,
  type IndexedFileSummary,
  type IndexFindResult,
  type IndexListResult,
  type IndexSearchResult,
  type IndexUpdateResult,
} from '#core/files/index-admin.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import type { Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

/** The result of each method. */
interface IndexResults {
  find: IndexFindResult;
  add: IndexAddResult;
  search: IndexSearchResult;
  follow: object;
  list: IndexListResult;
  remove: { readonly files: readonly IndexedFileSummary[] };
  update: IndexUpdateResult;
}

export type CallIndex = <Method extends keyof IndexResults>(
  method: Method,
  params: Readonly<Record<string, unknown>>,
) => Promise<IndexResults[Method]>;

const TIMEOUT_MS = 1_800_000;
/** Files of one request, so that the progress is shown. */
const FILES_PER_REQUEST = 100;

/** Runs work with the owner's index of files. The daemon is started if needed. */
export function runWithIndex<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (call: CallIndex) => Promise<T>,
): Promise<T> {
  return runWithDaemon(io, (client) =>
    work(
      async <Method extends keyof IndexResults>(method: Method, params: object) =>
        (await client.request(INDEX_METHODS[method], params, {
          timeoutMs: TIMEOUT_MS,
        })) as IndexResults[Method],
    ),
  );
}

const NOTHING: IndexUpdateResult = {
  added: 0,
  unchanged: 0,
  passages: 0,
  notices: [],
  stale: [],
  removed: [],
};

/** Sends paths some at a time and adds up the results, with a line that shows how far it is. */
export async function indexInBatches<Method extends 'add' | 'update'>(
  paths: readonly string[],
  method: Method,
  call: CallIndex,
  io: Pick<Io, 'stderr' | 'progress' | 'charset'>,
  params: { readonly folders?: readonly string[] } = {},
): Promise<IndexUpdateResult> {
  const line = createProgressLine(io);
  let all: IndexUpdateResult = NOTHING;
  try {
    for (let done = 0; done < paths.length; done += FILES_PER_REQUEST) {
      const note = `indexing ${escapeControls(paths[done] ?? '')}`;
      line.show({ note, done, total: paths.length });
      const some = paths.slice(done, done + FILES_PER_REQUEST);
      const result: Partial<IndexUpdateResult> & IndexAddResult = await call(method, {
        ...params,
        paths: some,
      });
      all = {
        added: all.added + result.added,
        unchanged: all.unchanged + result.unchanged,
        passages: all.passages + result.passages,
        notices: [...all.notices, ...result.notices],
        stale: [...all.stale, ...(result.stale ?? [])],
        removed: [...all.removed, ...(result.removed ?? [])],
      };
    }
  } finally {
    line.clear();
  }
  return all;
}

/** Prints notices, each in a line. */
export function printIndexNotices(notices: readonly string[], io: Pick<Io, 'stderr'>): void {
  for (const text of new Set(notices)) io.stderr.write(`${escapeControls(text)}\n`);
}
