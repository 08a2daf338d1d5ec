/** RPC methods for the owner's stored files. Served on the unix socket only, for the command line. */
export const FILE_METHODS = {
  list: 'exai/files/list',
  show: 'exai/files/show',
  add: 'exai/files/add',
  content: 'exai/files/content',
  delete: 'exai/files/delete',
  prune: 'exai/files/prune',
} as const;

/** A stored file, for its owner. Times are ISO 8601 in UTC. */
export interface FileSummary {
  readonly id: string;
  readonly uri: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created: string;
  /** The last use, within an hour. */
  readonly used: string;
  /** When retention removes it if it is not used again; absent if files are kept forever. */
  readonly expires?: string;
  /** Copies at providers. */
  readonly copies: readonly ProviderCopy[];
}

export interface ProviderCopy {
  readonly provider: string;
  readonly fileId: string;
  readonly purpose: string;
}

export interface FileList {
  readonly files: readonly FileSummary[];
  /** The `before` of the next page; absent at the end. */
  readonly next?: string;
}

/** A part of a content. */
export interface FilePiece {
  readonly base64: string;
  readonly offset: number;
  /** Of the whole file. */
  readonly bytes: number;
}

export interface DeletedFile {
  readonly file: FileSummary;
  readonly copies: CopiesDeletion;
}

/** What became of the copies at providers. */
export interface CopiesDeletion {
  readonly deleted: number;
  /** Still used by another client. */
  readonly shared: number;
  /** Copies that are still at the provider, each with the reason. */
  readonly failed: readonly {
    readonly provider: string;
    readonly fileId: string;
    readonly error: string;
  }[];
}

export interface PruneResult {
  readonly mode: 'preview' | 'delete';
  /** Files without a use since then. */
  readonly before: string;
  readonly count: number;
  readonly bytes: number;
  /** The first ones. */
  readonly files: readonly FileSummary[];
  /** Only after deleting. */
  readonly copies?: CopiesDeletion;
}

/** The copies of stored files at providers. */
export interface ProviderCopies {
  /** The copies of a principal, by the sha256 of their content; asks no provider. */
  list(principal: string): Promise<ReadonlyMap<string, readonly ProviderCopy[]>>;
  /** Deletes the copies of a content, at the provider if no other principal uses them. */
  delete(sha256: string, principal: string): Promise<CopiesDeletion>;
}
