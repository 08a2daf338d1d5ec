import type { Id } from '../ids.ts';

export interface StoredFile {
  readonly id: Id<'file'>;
  readonly principal: string;
  readonly sha256: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly createdAt: number;
}

/** What a provider knows of some content: one row per content, provider, account and purpose. */
export interface ProviderFileKey {
  readonly sha256: string;
  readonly provider: string;
  readonly account: string;
  readonly purpose: string;
}

export interface ProviderFile extends ProviderFileKey {
  readonly providerFileId: string;
  readonly text: string | null;
  readonly verifiedAt: number;
}

export interface FileStore {
  add(file: Omit<StoredFile, 'createdAt'>): Promise<void>;
  get(id: string, principal: string): Promise<StoredFile | undefined>;
  list(principal: string, limit: number): Promise<StoredFile[]>;
  delete(id: string, principal: string): Promise<void>;
  providerFile(key: ProviderFileKey): Promise<ProviderFile | undefined>;
  saveProviderFile(file: Omit<ProviderFile, 'verifiedAt'>): Promise<void>;
  /** The provider has forgotten it. */
  dropProviderFile(key: ProviderFileKey): Promise<void>;
}
