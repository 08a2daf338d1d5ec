import type { AskText } from './ask.ts';
import type { Deadline } from './deadline.ts';
import type { Notice } from './messages/notices.ts';

/** For whom something on this machine is read, and how far they may reach. */
export interface Reader {
  /** Folders that hold everything they may name. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

export interface ReadTexts {
  /** With the paths as they were named, or of what a named folder holds. */
  readonly texts: readonly AskText[];
  /** What was left out, and why: no text, too large, too many. */
  readonly notices: readonly Notice[];
}

/** Which changes of a repository. */
export interface ChangesWish {
  /** A folder in it; the first root unless told. */
  readonly path: string | undefined;
  /** A branch, tag or commit that the work is compared with, in place of what is staged and unstaged. */
  readonly compareTo: string | undefined;
  readonly staged: 'yes' | 'no';
  readonly unstaged: 'yes' | 'no';
}

export interface Changes {
  /** The repository's folder. */
  readonly root: string;
  readonly branch: string | undefined;
  /** Paths within the repository. */
  readonly files: readonly ChangedFile[];
  /** One text for each kind of change, in git's own format. */
  readonly diffs: readonly AskText[];
  readonly notices: readonly Notice[];
}

export interface ChangedFile {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked' | 'other';
  readonly where: 'staged' | 'unstaged' | 'compared';
}

/** What a caller's files and repositories hold, never beyond its roots: links are followed before anything is judged. */
export interface Workspace {
  /** Throws `validation` or `permission`, with `field`, for what cannot be read; reads nothing else then. */
  read(paths: readonly string[], field: string, by: Reader): Promise<ReadTexts>;
  /** Throws `not_configured` without git, `validation` where there is no repository or no such name. */
  changes(wish: ChangesWish, by: Reader): Promise<Changes>;
}
