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

/** An uploaded file: one row per content, provider, account and purpose. */
export interface ProviderFileKey {
  readonly sha256: string;
  readonly provider: string;
  readonly account: string;
  readonly purpose: string;
}

export interface StoredProviderFile extends ProviderFileKey {
  readonly providerFileId: string;
  readonly text: string | null;
  readonly verifiedAt: number;
}

export interface FileStore {
  add(file: Omit<StoredFile, 'createdAt'>): Promise<void>;
  get(id: string, principal: string): Promise<StoredFile | undefined>;
  list(principal: string, limit: number): Promise<StoredFile[]>;
  delete(id: string, principal: string): Promise<void>;
  providerFile(key: ProviderFileKey): Promise<StoredProviderFile | undefined>;
  saveProviderFile(file: Omit<StoredProviderFile, 'verifiedAt'>): Promise<void>;
  /** Removes a file that the provider has deleted. */
  dropProviderFile(key: ProviderFileKey): Promise<void>;
}
