import type { Id } from '../ids.ts';

export interface Client {
  readonly id: Id<'client'>;
  readonly name: string;
  /**
   * Owner of its conversations, jobs, results and usage; stays the same when tokens are rotated.
   */
  readonly principal: string;
  /** Hex digest; the token itself is never stored. */
  readonly tokenSha256: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  /** Expiry time of the token; null if it does not expire. */
  readonly expiresAt: number | null;
}

export interface ClientStore {
  /** Whether a principal owns any data. */
  hasData(principal: string): Promise<boolean>;
  add(client: Omit<Client, 'createdAt' | 'expiresAt'>): Promise<void>;
  list(): Promise<Client[]>;
  byToken(tokenSha256: string): Promise<Client | undefined>;
  expire(id: string, atMs: number): Promise<void>;
  /** Replaces a token by another; the old one expires at the given time. Atomic. */
  replace(
    id: string,
    next: Omit<Client, 'createdAt' | 'expiresAt'>,
    oldUntilMs: number,
  ): Promise<void>;
}
