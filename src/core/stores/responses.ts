/** A stored answer of the Responses API, which later requests can continue from. */
export interface StoredResponse {
  /** `resp_…` */
  readonly id: string;
  readonly principal: string;
  /** The response that it continues; null if it begins a chain. */
  readonly previousId: string | null;
  /** The input items of its own request, as a JSON list. */
  readonly input: string;
  /** The response object as JSON. */
  readonly response: string;
  readonly createdAt: number;
}

/** Why a chain cannot be read; `broken`: a response that it continues was removed. */
export type ChainProblem = 'missing' | 'broken' | 'too_long';

/**
 * Stored responses, accessed on behalf of a principal. Those of other principals are not found.
 * Retention removes a chain of responses as a whole, counted from its newest one.
 */
export interface ResponseStore {
  /** Durable when it resolves. */
  save(response: Omit<StoredResponse, 'createdAt'>): Promise<void>;
  get(id: string, principal: string): Promise<StoredResponse | undefined>;
  /** The response with all that it continues, oldest first. */
  chain(id: string, principal: string): Promise<readonly StoredResponse[] | ChainProblem>;
  /** Returns whether it existed. */
  delete(id: string, principal: string): Promise<boolean>;
}
