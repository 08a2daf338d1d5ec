import type { Id } from '../ids.ts';

export interface Client {
  readonly id: Id<'client'>;
  readonly name: string;
  /** Under what its conversations, jobs, results and usage are kept; the same for every token that replaced another. */
  readonly principal: string;
  /** Hex digest; the token itself is shown once and stored nowhere. */
  readonly tokenSha256: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  /** After this moment the token is refused; null while it is good. */
  readonly expiresAt: number | null;
}

export interface ClientStore {
  /** Whether anything is kept under a principal. */
  hasData(principal: string): Promise<boolean>;
  add(client: Omit<Client, 'createdAt' | 'expiresAt'>): Promise<void>;
  list(): Promise<Client[]>;
  byToken(tokenSha256: string): Promise<Client | undefined>;
  expire(id: string, atMs: number): Promise<void>;
  /** Adds a token in place of another, which is good until the moment given: both happen, or neither. */
  replace(
    id: string,
    next: Omit<Client, 'createdAt' | 'expiresAt'>,
    oldUntilMs: number,
  ): Promise<void>;
}
