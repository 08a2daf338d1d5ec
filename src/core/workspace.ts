import type { AskText } from './llm/ask.ts';
import type { Deadline } from './time/deadline.ts';
import type { LeftOutReason } from './messages/file-notices.ts';
import type { Notice } from './messages/notices.ts';

/** On whose behalf files are read, and within which folders. */
export interface WorkspaceReader {
  /** Folders that contain every file the caller may name. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** The caller is a client of the owner, who may name files in EXAI_HOME/workspaces. */
  readonly isOwner?: true;
  /** The folder of the run, inside EXAI_HOME/workspaces. Relative paths start there. */
  readonly runFolder?: string;
}

/** A file of the caller, read whole. */
export interface OpenedFile {
  /** As requested, fit for a message. */
  readonly name: string;
  /** Without links. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** What was left out of a folder or of the matches of a pattern. */
export interface LeftOutFiles {
  add(reason: LeftOutReason, name: string): void;
  notices(): readonly Notice[];
}

/** A file that a path, a folder or a pattern names; it is not opened yet. */
export interface NamedFile {
  /** As requested, or within the requested folder. */
  readonly name: string;
  /** Without links. */
  readonly path: string;
  /** Which of the requested paths names it first, from 0. */
  readonly index: number;
  /** Where it was found, if the caller did not name it itself. */
  readonly within?: { readonly is: 'folder' | 'pattern'; readonly leftOut: LeftOutFiles };
}

/** Where files are not opened together, more can be listed. */
export interface ListLimits {
  /** Default: 1,000. */
  readonly maxFiles: number;
}

export interface SavedFile {
  /** Without links. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether a file with this name was there before. */
  readonly change: 'created' | 'replaced';
}

export interface ReadTexts {
  /** Named by the paths as requested, or by the paths within a requested folder. */
  readonly texts: readonly AskText[];
  /** What was skipped, and why: not text, too large, too many. */
  readonly notices: readonly Notice[];
}

/** Selects changes of a git repository. */
export interface ChangesOptions {
  /** A folder of the repository; default: the first root. */
  readonly path: string | undefined;
  /** A branch, tag or commit to compare with, instead of staged and unstaged changes. */
  readonly compareTo: string | undefined;
  readonly staged: boolean;
  readonly unstaged: boolean;
}

export interface RepositoryChanges {
  /** Root folder of the repository. */
  readonly root: string;
  readonly branch: string | undefined;
  /** Paths within the repository. */
  readonly files: readonly ChangedFile[];
  /** One diff per kind of change, in git's format. */
  readonly diffs: readonly AskText[];
  readonly notices: readonly Notice[];
}

export interface ChangedFile {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked' | 'other';
  readonly where: 'staged' | 'unstaged' | 'compared';
}

/**
 * Reads files and repositories within the caller's roots. Symbolic links are resolved before access
 * is checked.
 */
export interface Workspace {
  /**
   * Throws `validation` or `permission`, with `field`, if a path cannot be read; nothing is read
   * then.
   */
  read(paths: readonly string[], field: string, by: WorkspaceReader): Promise<ReadTexts>;
  /**
   * Finds the files of paths, folders and patterns (`docs/*.md`), in order and each once. Throws
   * like `read`, and `not_found` for a pattern without matches.
   */
  list(
    paths: readonly string[],
    field: string,
    by: WorkspaceReader,
    limits?: ListLimits,
  ): Promise<readonly NamedFile[]>;
  /**
   * Opens files one after the other, in order and each once; all paths are checked before the first
   * is opened. Only one file is in memory, unless the caller keeps them. Throws like `read`;
   * `too_large` above the limits.
   */
  open(
    paths: readonly string[],
    field: string,
    by: WorkspaceReader,
  ): AsyncGenerator<OpenedFile, void, undefined>;
  /**
   * Saves a file, whole or not at all: in the folder of the run, in `allowedDirs`, and for a client
   * of the owner in its roots. The folder must exist. Throws `permission` elsewhere.
   */
  save(
    path: string,
    field: string,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    by: WorkspaceReader,
  ): Promise<SavedFile>;
  /**
   * Throws `not_configured` without git, `validation` if there is no repository or no such
   * revision.
   */
  changes(wish: ChangesOptions, by: WorkspaceReader): Promise<RepositoryChanges>;
}

/** What tools that read texts need. */
export type ReadableWorkspace = Pick<Workspace, 'read' | 'changes'>;
