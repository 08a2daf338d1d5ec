import { dirname, sep } from 'node:path';
import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { FileIndex, IndexChange } from '#core/files/file-index.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import {
  roundScore,
  summariseIndexedFile,
  type IndexAddResult,
  type IndexedFileSummary,
  type IndexFindResult,
  type IndexListResult,
  type IndexSearchResult,
  type IndexUpdateResult,
} from '#core/files/index-admin.ts';
import { describePassagePlace } from '#core/files/passage.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { NamedFile, Workspace } from '#core/workspace.ts';

export interface IndexAdminDeps {
  readonly fileIndex: FileIndex;
  readonly workspace: Pick<Workspace, 'list'>;
  readonly clock: Clock;
}

/** The index of the owner's files. Paths are absolute: the owner may name any. */
export interface IndexAdmin {
  find(paths: readonly string[]): Promise<IndexFindResult>;
  add(paths: readonly string[]): Promise<IndexAddResult>;
  search(query: { readonly query: string; readonly limit?: number }): Promise<IndexSearchResult>;
  /** Finds new files in these folders and patterns at each update. */
  follow(paths: readonly string[]): Promise<object>;
  list(): Promise<IndexListResult>;
  remove(sources: readonly string[]): Promise<{ readonly files: readonly IndexedFileSummary[] }>;
  /** `folders`: of these, a file that is gone is removed. */
  update(paths: readonly string[], folders: readonly string[]): Promise<IndexUpdateResult>;
}

const FIELD = 'paths';
/** Of one method; the command line sends a few files at a time. */
const TIMEOUT_MS = 1_800_000;
const MAX_FILES = 20_000;
/** Files can go between a look at them and their reading. */
const MAX_TRIES = 3;

type ReadableChange = Omit<IndexChange, 'kept'>;

const NO_CHANGE: ReadableChange = {
  files: [],
  added: 0,
  unchanged: 0,
  passages: 0,
  notices: [],
};

export function createIndexAdmin({ fileIndex, workspace, clock }: IndexAdminDeps): IndexAdmin {
  const principal = OWNER_PRINCIPAL;

  function contextFor(paths: readonly string[]): IntakeContext {
    const roots = [...new Set(paths.flatMap((path) => [path, dirname(path)]))];
    return {
      caller: { principal, scopes: ['*'], roots },
      signal: new AbortController().signal,
      deadline: deadlineIn(clock, TIMEOUT_MS),
      answers: NO_INPUT_RESPONSES,
      clientCapabilities: [],
    };
  }

  async function add(paths: readonly string[]): Promise<IndexChange> {
    const change = await fileIndex.add(
      paths,
      { field: FIELD, origin: 'added', unreadable: 'notice' },
      contextFor(paths),
    );
    if ('inputRequests' in change) throw new CallError('internal', 'The paths need no folders.');
    return change;
  }

  /** The paths of files that can be read; the others are told. */
  async function findReadable(
    paths: readonly string[],
    onMissing: (path: string, error: CallError) => void,
  ): Promise<readonly string[]> {
    const { caller, signal, deadline } = contextFor(paths);
    const by = { roots: caller.roots, signal, deadline, isOwner: true as const };
    const there: string[] = [];
    for (const path of paths) {
      try {
        await workspace.list([path], FIELD, by, { maxFiles: MAX_FILES });
        there.push(path);
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (!isMissing(error) && error.class !== 'too_large') throw error;
        onMissing(path, error);
      }
    }
    return there;
  }

  /** Adds those that can be read, and returns them too. */
  async function addReadable(
    paths: readonly string[],
    onMissing: (path: string, error: CallError) => void,
  ): Promise<readonly [ReadableChange, readonly string[]]> {
    let readable = paths;
    for (let tries = 1; ; tries++) {
      readable = await findReadable(readable, onMissing);
      if (readable.length === 0) return [NO_CHANGE, readable];
      try {
        return [await add(readable), readable];
      } catch (thrown) {
        // A file that went meanwhile is found to be missing at the next look.
        if (!isMissing(CallError.from(thrown)) || tries === MAX_TRIES) throw thrown;
      }
    }
  }

  return {
    async find(paths) {
      const { caller, signal, deadline } = contextFor(paths);
      const by = { roots: caller.roots, signal, deadline, isOwner: true as const };
      const files: NamedFile[] = [];
      const missing: string[] = [];
      const folders: string[] = [];
      for (const path of paths) {
        try {
          const found = await workspace.list([path], FIELD, by, { maxFiles: MAX_FILES });
          files.push(...found);
          if (found.every(({ within }) => within)) folders.push(path);
        } catch (thrown) {
          const error = CallError.from(thrown);
          if (!isMissing(error)) throw error;
          missing.push(path);
        }
      }
      const lists = new Set(files.flatMap(({ within }) => within?.leftOut ?? []));
      return {
        paths: [...new Set(files.map(({ path }) => path))],
        folders,
        missing,
        notices: textsOf([...lists].flatMap((list) => list.notices())),
      };
    },
    async follow(paths) {
      await fileIndex.follow(principal, paths);
      return {};
    },
    async add(paths) {
      return addResult(await add(paths));
    },
    async search(query) {
      const signal = new AbortController().signal;
      const found = await fileIndex.search(query, principal, signal);
      return {
        passages: found.passages.map((passage) => ({
          file: passage.file.name,
          source: passage.file.source,
          place: describePassagePlace(passage.place),
          ...(passage.heading !== undefined && { heading: passage.heading }),
          text: passage.text,
          score: roundScore(passage),
          state: passage.file.state,
        })),
        searched: found.searched,
        notices: textsOf(found.notices),
      };
    },
    async list() {
      const files = await fileIndex.list(principal);
      return {
        files: files.map(summariseIndexedFile),
        folders: await fileIndex.folders(principal),
      };
    },
    async remove(sources) {
      const removed = await fileIndex.remove(principal, sources);
      if (removed.length === 0) {
        throw new CallError('not_found', 'The index has none of these files.', {
          field: FIELD,
          fix: 'exai index list',
        });
      }
      return { files: removed.map(summariseIndexedFile) };
    },
    async update(paths, folders) {
      const stale: string[] = [];
      const removed: string[] = [];
      const [change, tried] = await addReadable(paths, (path, error) => {
        const isDropped =
          error.class === 'not_found' && folders.some((folder) => path.startsWith(baseOf(folder)));
        (isDropped ? removed : stale).push(path);
      });
      // Nothing of the others can be read any more.
      const read = new Set(change.files.map(({ source }) => source));
      const unread = new Set(tried.filter((path) => !read.has(path)));
      if (unread.size > 0) {
        const indexed = await fileIndex.list(principal);
        stale.push(...indexed.flatMap(({ source }) => (unread.has(source) ? [source] : [])));
      }
      if (removed.length > 0) await fileIndex.remove(principal, removed);
      await fileIndex.markStale(principal, stale);
      return { ...addResult(change), stale, removed };
    },
  };
}

function isMissing({ class: errorClass }: CallError): boolean {
  return errorClass === 'not_found' || errorClass === 'permission';
}

/** The folder of a folder or pattern, with a separator at its end. */
function baseOf(folder: string): string {
  const [fixed = ''] = folder.split(/[*?[{]/);
  const isPattern = fixed !== folder;
  return isPattern
    ? fixed.slice(0, fixed.lastIndexOf(sep) + 1)
    : `${folder.replace(/[/\\]+$/, '')}${sep}`;
}

function addResult({ added, unchanged, passages, notices }: ReadableChange): IndexAddResult {
  return { added, unchanged, passages, notices: textsOf(notices) };
}

function textsOf(notices: readonly Notice[]): readonly string[] {
  return notices.map((each) => baseRenderer.notice(each));
}
