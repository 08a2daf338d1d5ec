import type { CallResult } from './calls.ts';
import type { ResultPart, ResultRecord } from '../stores/results.ts';

/** URI template of results that were too large to return inline. */
export const RESULT_URI = 'exai://results/{id}';

export function resultUri(id: string): string {
  return `exai://results/${id}`;
}

/** Paging of results that exceed the size a client accepts. */
export interface Results {
  /**
   * The result itself, or its first part with a reference to the rest, which is saved before this
   * resolves. If saving fails, the whole result is returned.
   */
  fit(answer: CallResult, principal: string, maxTokens: number): Promise<CallResult> | CallResult;
  /**
   * Throws `not_found` if it does not exist or has expired, `validation` for an offset past the
   * end.
   */
  read(principal: string, id: string, offset: number, maxChars?: number): Promise<ResultPart>;
  list(principal: string, limit: number, before?: string): Promise<readonly ResultRecord[]>;
}
