import type { Id } from '../ids.ts';

/** A stored result that was too large to return inline. */
export interface ResultRecord {
  readonly id: Id<'res'>;
  readonly principal: string;
  readonly tool: string;
  readonly reqId: string;
  /** Length in UTF-16 units, like all offsets. */
  readonly chars: number;
  readonly createdAt: number;
}

export interface ResultPart extends ResultRecord {
  readonly offset: number;
  readonly text: string;
}

export interface ResultStore {
  /** Durable when it resolves. An existing text of this id stays unchanged. */
  keep(
    result: Omit<ResultRecord, 'createdAt' | 'chars'> & { readonly text: string },
  ): Promise<void>;
  /**
   * Text from `offset`, at most `maxChars` and never half a character; empty at or past the end.
   * The cost does not depend on the offset.
   */
  read(
    id: string,
    principal: string,
    offset: number,
    maxChars: number,
  ): Promise<ResultPart | undefined>;
  /** Newest first; `before` is the last one of the page before. */
  list(principal: string, limit: number, before?: string): Promise<ResultRecord[]>;
}
