import type { CallAnswer } from './calls.ts';
import type { ResultPart, ResultRecord } from './stores/results.ts';

/** The address of a text that was too long for its client. */
export const RESULT_URI = 'exai://results/{id}';

export function resultUri(id: string): string {
  return `exai://results/${id}`;
}

/** Answers in the size that a client takes, and the rest of them. */
export interface Results {
  /**
   * The answer, or its head with the way to the rest, which is kept before this resolves. If it cannot be kept, the answer
   * is given whole.
   */
  fit(answer: CallAnswer, principal: string, maxTokens: number): Promise<CallAnswer> | CallAnswer;
  /** Throws `not_found` with what may have happened to it, `validation` for an offset past the end. */
  read(principal: string, id: string, offset: number, maxChars?: number): Promise<ResultPart>;
  list(principal: string, limit: number, before?: string): Promise<readonly ResultRecord[]>;
}
