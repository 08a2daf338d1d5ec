import type { IndexedFile } from '../stores/file-index.ts';
import type { FoundPassage } from './file-index.ts';

/** RPC methods for the owner's index of files. Served on the unix socket only, for the command line. */
export const INDEX_METHODS = {
  find: 'exai/index/find',
  follow: 'exai/index/follow',
  add: 'exai/index/add',
  search: 'exai/index/search',
  list: 'exai/index/list',
  remove: 'exai/index/remove',
  update: 'exai/index/update',
} as const;

/** An indexed file, for its owner. Times are ISO 8601 in UTC. */
export interface IndexedFileSummary {
  readonly id: number;
  readonly source: string;
  readonly name: string;
  readonly bytes: number;
  readonly passages: number;
  readonly origin: IndexedFile['origin'];
  readonly state: IndexedFile['state'];
  readonly indexed: string;
}

export interface IndexFindResult {
  /** Paths of the files that would be indexed. */
  readonly paths: readonly string[];
  /** Those of the given paths that are folders or patterns. */
  readonly folders: readonly string[];
  /** Given paths that are not there, or cannot be read. */
  readonly missing: readonly string[];
  readonly notices: readonly string[];
}

export interface IndexAddResult {
  readonly added: number;
  readonly unchanged: number;
  readonly passages: number;
  readonly notices: readonly string[];
}

export interface IndexSearchResult {
  readonly passages: readonly {
    readonly file: string;
    readonly source: string;
    readonly place: string;
    readonly heading?: string;
    readonly text: string;
    readonly score: number;
    readonly state: IndexedFile['state'];
  }[];
  readonly searched: { readonly files: number; readonly passages: number };
  readonly notices: readonly string[];
}

export interface IndexListResult {
  readonly files: readonly IndexedFileSummary[];
  /** Folders and patterns whose new files an update finds. */
  readonly folders: readonly string[];
}

export interface IndexUpdateResult extends IndexAddResult {
  /** Files that are gone or cannot be read, and stay searchable. */
  readonly stale: readonly string[];
  /** Files of an indexed folder that are gone, and were removed from the index. */
  readonly removed: readonly string[];
}

export function summariseIndexedFile(file: IndexedFile): IndexedFileSummary {
  const { id, source, name, bytes, passages, origin, state, indexedAt } = file;
  const indexed = new Date(indexedAt).toISOString();
  return { id, source, name, bytes, passages, origin, state, indexed };
}

/** Passages differ in their fifth digit by chance. */
export function roundScore({ score }: Pick<FoundPassage, 'score'>): number {
  return Math.round(score * 1_000) / 1_000;
}
