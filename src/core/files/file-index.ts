import type { Notice } from '../messages/notices.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { IndexedFile, IndexOrigin } from '../stores/file-index.ts';
import type { InputRequired } from '../tools/input-request.ts';
import type { FileInput } from './file-input.ts';
import type { IntakeContext } from './file-intake.ts';
import type { FilePassage } from './passage.ts';

/** A passage that matches a query. */
export interface FoundPassage extends FilePassage {
  readonly file: IndexedFile;
  readonly score: number;
}

/** The passages that match a query, best first. */
export interface FoundPassages {
  readonly passages: readonly FoundPassage[];
  /** How many files and passages were searched. */
  readonly searched: { readonly files: number; readonly passages: number };
  readonly notices: readonly Notice[];
}

export interface PassageQuery {
  readonly query: string;
  /** Default: 10. */
  readonly limit?: number;
  /** Only in these files; default: all that were added. */
  readonly fileIds?: readonly number[];
}

/** What became of files that were to be indexed. */
export interface IndexChange {
  /** The indexed files among them, those that were known included. */
  readonly files: readonly IndexedFile[];
  readonly added: number;
  readonly unchanged: number;
  readonly passages: number;
  readonly notices: readonly Notice[];
  /** What a conversation keeps of the new files: absolute paths, and URIs of stored files. */
  readonly kept: readonly string[];
}

export interface IndexProgress {
  readonly done: number;
  readonly total: number;
  readonly name: string;
}

export interface IndexOptions {
  readonly field: string;
  readonly origin: IndexOrigin;
  /** What a conversation has kept; what is gone becomes a notice. */
  readonly earlier?: readonly string[];
  /** A named file that cannot be read is left out with a notice; default: it fails the call. */
  readonly unreadable?: 'notice';
  readonly onProgress?: (progress: IndexProgress) => void;
}

/** The index of the files of each principal. */
export interface FileIndex {
  /** Indexes files in all their forms; those with a known content are not read again. */
  add(
    inputs: readonly FileInput[],
    options: IndexOptions,
    context: IntakeContext,
  ): Promise<IndexChange | InputRequired>;
  search(query: PassageQuery, principal: string, signal: AbortSignalLike): Promise<FoundPassages>;
  list(principal: string): Promise<readonly IndexedFile[]>;
  /** Removes the files with these sources or names, or below these folders; returns them. */
  remove(principal: string, sources: readonly string[]): Promise<readonly IndexedFile[]>;
  /** Folders and patterns whose new files an update finds. */
  folders(principal: string): Promise<readonly string[]>;
  follow(principal: string, sources: readonly string[]): Promise<void>;
  /** Marks files whose sources are gone. */
  markStale(principal: string, sources: readonly string[]): Promise<void>;
}
