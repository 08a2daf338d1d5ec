import type { Id } from '../ids.ts';
import type { AbortSignalLike } from '../net/abort.ts';

export interface StoredFile {
  readonly id: Id<'file'>;
  readonly principal: string;
  readonly sha256: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly createdAt: number;
  /** The last time that it was written, read or touched, within an hour. */
  readonly usedAt: number;
  /** What a client of the gateway uploaded it for; absent if it came otherwise. */
  readonly purpose?: string;
}

export type NewFile = Pick<StoredFile, 'id' | 'principal' | 'name' | 'mime'>;

export interface FileWriteOptions {
  /** A longer content is refused with `too_large`. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignalLike;
  /** Read after the last chunk, as a form may name it after its file. */
  readonly purpose?: () => string | undefined;
}

export interface FileListOptions {
  /** Default: `newest_first`. */
  readonly order?: 'newest_first' | 'oldest_first';
  /** Only files of this purpose. */
  readonly purpose?: string;
}

/** A part of a content; default: all of it. */
export interface FileRange {
  /** Default: 0. */
  readonly offset?: number;
  /** Default: to the end. */
  readonly length?: number;
}

export interface FileContent {
  readonly file: StoredFile;
  /**
   * The bytes of the range, read as they are taken; can be iterated once. Fails with `not_found` if
   * the file is deleted meanwhile.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Stands for a provider in the rows of texts that were extracted on this machine. They have no owner,
 * and can be extracted again.
 */
export const LOCAL_TEXTS = 'exai';

/** An uploaded file: one row per content, provider, account and purpose. */
export interface ProviderFileKey {
  readonly sha256: string;
  readonly provider: string;
  readonly account: string;
  readonly purpose: string;
}

export interface StoredProviderFile extends ProviderFileKey {
  readonly providerFileId: string;
  readonly text: string | null;
  readonly verifiedAt: number;
}

/** What a principal has uploaded to a provider. Principals with equal contents share one file there. */
export interface OwnedProviderFile extends StoredProviderFile {
  readonly principal: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly createdAt: number;
  /** The last time that the principal used it. */
  readonly usedAt: number;
}

/** The account of a provider whose files are meant. */
export type ProviderAccount = Pick<ProviderFileKey, 'provider' | 'account'>;

/**
 * Files of principals with their contents. Files of equal content share one copy, whichever principal owns
 * them; a file is found by its owner alone.
 */
export interface FileStore {
  /**
   * Stores a file from its chunks, all of it or nothing, and returns it with the size and digest
   * that were computed meanwhile. Memory stays flat. A chunk may be reused after it was taken.
   */
  write(
    file: NewFile,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: FileWriteOptions,
  ): Promise<StoredFile>;
  get(id: string, principal: string): Promise<StoredFile | undefined>;
  /** The content of a file; undefined without such a file, or where it has no content. */
  read(id: string, principal: string, range?: FileRange): Promise<FileContent | undefined>;
  /**
   * Records a use of files, so that retention keeps them: a conversation that continues touches its
   * files. Reading a file touches it, too.
   */
  touch(ids: readonly string[], principal: string): Promise<void>;
  /** Newest first, unless `options` say otherwise; `before` is the last id of the previous page. */
  list(
    principal: string,
    limit: number,
    before?: string,
    options?: FileListOptions,
  ): Promise<StoredFile[]>;
  /** Deletes a file; and its content, and the text extracted from it here, if no other file has it. */
  delete(id: string, principal: string): Promise<void>;
  providerFile(key: ProviderFileKey): Promise<StoredProviderFile | undefined>;
  saveProviderFile(file: Omit<StoredProviderFile, 'verifiedAt'>): Promise<void>;
  /** Removes a file that the provider has deleted. Its owners stay, for the next upload of it. */
  dropProviderFile(key: ProviderFileKey): Promise<void>;
  /** Records that a principal has uploaded, or used, a file. */
  ownProviderFile(
    key: ProviderFileKey,
    owner: Pick<OwnedProviderFile, 'principal' | 'name' | 'mime' | 'bytes'>,
  ): Promise<void>;
  /** Files that principals have uploaded, newest first: those of one principal, or of all. */
  ownedProviderFiles(
    account: ProviderAccount,
    filter: {
      readonly principal?: string;
      readonly providerFileId?: string;
      /** Only those that their principals have not used since then, and that are at the provider. */
      readonly unusedSince?: number;
      readonly limit: number;
    },
  ): Promise<OwnedProviderFile[]>;
  /** Removes an owner of a file; says whether another one is left. */
  disownProviderFile(key: ProviderFileKey, principal: string): Promise<'last' | 'shared'>;
  /**
   * Removes what of a purpose has no file at a provider and no principal has used since then, with
   * its owners. Returns how many texts were removed.
   */
  pruneProviderTexts(purpose: string, beforeMs: number): Promise<number>;
  /** Removes texts that were extracted on this machine before then. Returns how many. */
  pruneLocalTexts(beforeMs: number): Promise<number>;
}

/** What uploads to providers need of it. */
export type ProviderFileStore = Pick<
  FileStore,
  | 'providerFile'
  | 'saveProviderFile'
  | 'dropProviderFile'
  | 'ownProviderFile'
  | 'ownedProviderFiles'
  | 'disownProviderFile'
  | 'pruneProviderTexts'
  | 'pruneLocalTexts'
>;
