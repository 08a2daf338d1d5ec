import type { Json } from '../json/json.ts';

/** The pinned definition of an upstream tool; a changed one waits in `candidate` for approval. */
export interface Pin {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly definition: Json;
  readonly candidate: { readonly hash: string; readonly definition: Json } | null;
  readonly firstSeenAt: number;
  readonly changedAt: number;
}

export interface PinStore {
  list(server?: string): Promise<Pin[]>;
  /** Pins a definition unless one is already pinned. */
  pin(pins: readonly Pick<Pin, 'server' | 'tool' | 'hash' | 'definition'>[]): Promise<void>;
  quarantine(server: string, tool: string, candidate: NonNullable<Pin['candidate']>): Promise<void>;
  approve(server: string, tool: string, hash: string): Promise<void>;
  remove(server: string): Promise<void>;
}
