import type { Id } from '../ids.ts';

/** A text that was too long for its client, kept whole. */
export interface ResultRecord {
  readonly id: Id<'res'>;
  readonly principal: string;
  readonly tool: string;
  readonly reqId: string;
  /** Its length, in UTF-16 units as all offsets are. */
  readonly chars: number;
  readonly createdAt: number;
}

export interface ResultPart extends ResultRecord {
  readonly offset: number;
  readonly text: string;
}

export interface ResultStore {
  /** Once it resolves, the text is there. What is there by this id already stays as it is. */
  keep(
    result: Omit<ResultRecord, 'createdAt' | 'chars'> & { readonly text: string },
  ): Promise<void>;
  /**
   * From `offset` on, at most `maxChars` and never half of a character; empty at the end or past it. Costs the same
   * wherever it is in the text.
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
