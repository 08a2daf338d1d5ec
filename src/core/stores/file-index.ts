/** A file whose passages can be searched. One principal's files are never found by another. */
export interface IndexedFile {
  readonly id: number;
  /** The absolute path, or the URI of a stored file; unique for a principal. */
  readonly source: string;
  readonly name: string;
  /** Of the content. */
  readonly sha256: string;
  readonly bytes: number;
  readonly passages: number;
  /** `asked`: indexed for a question, and removed after some time without one. */
  readonly origin: IndexOrigin;
  /** `stale`: its source has changed or is gone. */
  readonly state: 'current' | 'stale';
  readonly indexedAt: number;
}

export type IndexOrigin = 'added' | 'asked';

export type NewIndexedFile = Pick<IndexedFile, 'source' | 'name' | 'sha256' | 'bytes' | 'origin'>;

/** Passages that were indexed together. It never changes; of removed files its passages are dead. */
export interface IndexSegment {
  readonly id: number;
  readonly passages: number;
  /** The sum of the lengths of its passages. */
  readonly terms: number;
  /** The postings are in so many parts, by the hash of their term. */
  readonly buckets: number;
  /** The length of each passage in terms. */
  readonly lengths: Uint16Array;
}

/** Adjacent passages of a segment that belong to one file. */
export interface IndexRun {
  readonly segmentId: number;
  readonly first: number;
  readonly passages: number;
  readonly fileId: number;
}

export type IndexPartKind = 'postings' | 'texts';

export interface IndexPart {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export interface SegmentParts extends IndexPart {
  readonly segmentId: number;
}

/** What becomes searchable at once. */
export interface IndexCommit {
  readonly segments: readonly IndexSegment[];
  readonly runs: readonly IndexRun[];
  /** Files whose last passages are among the runs; earlier versions of them are removed. */
  readonly finished: readonly { readonly id: number; readonly passages: number }[];
  /** Segments whose living passages are in the runs. */
  readonly replaces?: readonly number[];
}

/** The passages of files, and their postings. */
export interface FileIndexStore {
  files(principal: string): Promise<readonly IndexedFile[]>;
  filesById(principal: string, ids: readonly number[]): Promise<readonly IndexedFile[]>;
  find(principal: string, source: string): Promise<IndexedFile | undefined>;
  /** Creates a file that is not searchable yet; returns its id. */
  beginFile(principal: string, file: NewIndexedFile): Promise<number>;
  /** Creates a segment that is not searchable yet; returns its id. */
  beginSegment(principal: string): Promise<number>;
  saveParts(kind: IndexPartKind, segmentId: number, parts: readonly IndexPart[]): Promise<void>;
  commit(principal: string, commit: IndexCommit): Promise<void>;
  segments(principal: string): Promise<readonly IndexSegment[]>;
  /** The runs of searchable files, by segment and place; of one origin, or of all. */
  runs(principal: string, origin?: IndexOrigin): Promise<readonly IndexRun[]>;
  parts(
    kind: IndexPartKind,
    wanted: readonly { readonly segmentId: number; readonly at: number }[],
  ): Promise<readonly SegmentParts[]>;
  setState(principal: string, ids: readonly number[], state: IndexedFile['state']): Promise<void>;
  /** Marks files as used, and as added if they were. */
  touch(principal: string, ids: readonly number[], origin?: IndexOrigin): Promise<void>;
  /** Removes files; the number of those that were there. */
  remove(principal: string, ids: readonly number[]): Promise<number>;
  /** The parts of vectors that a model has made, with their sizes. */
  vectorParts(
    principal: string,
    model: string,
  ): Promise<
    readonly { readonly segmentId: number; readonly at: number; readonly bytes: number }[]
  >;
  /** The models that have made vectors of these segments. */
  vectorModels(segmentIds: readonly number[]): Promise<readonly string[]>;
  vectors(model: string, segmentId: number): Promise<readonly IndexPart[]>;
  /** Replaces those of another model. */
  saveVectors(model: string, parts: readonly SegmentParts[]): Promise<void>;
  /** Folders and patterns whose new files are indexed by an update. */
  folders(principal: string): Promise<readonly string[]>;
  addFolders(principal: string, sources: readonly string[]): Promise<void>;
  removeFolders(principal: string, sources: readonly string[]): Promise<void>;
  /** Removes segments without living passages, and what an interrupted run has left. */
  clean(principal: string): Promise<void>;
  /** Removes files that were indexed for a question and not used since then. */
  prune(beforeMs: number): Promise<number>;
}
