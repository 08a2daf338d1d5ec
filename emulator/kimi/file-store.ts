/** What was uploaded. Text is kept as extracted, pictures and videos as they came. */
export interface KimiFile {
  readonly id: string;
  readonly bytes: number;
  readonly createdAt: number;
  readonly filename: string;
  readonly purpose: string;
  readonly type: string;
  readonly status: 'good' | 'error';
  readonly text: string;
  readonly data: Buffer;
}

export interface FileStore {
  add(owner: string, file: KimiFile): void;
  get(owner: string, id: string): KimiFile | undefined;
  /** By `ms://<id>`. */
  find(owner: string, url: string): { readonly type: string; readonly data: Buffer } | undefined;
  list(owner: string): readonly KimiFile[];
  delete(owner: string, id: string): 'deleted' | 'unknown';
  clear(): void;
}

/** Each account sees its own files alone. */
export function createFileStore(): FileStore {
  const owners = new Map<string, Map<string, KimiFile>>();
  const of = (owner: string): Map<string, KimiFile> => {
    const known = owners.get(owner) ?? new Map<string, KimiFile>();
    owners.set(owner, known);
    return known;
  };
  return {
    add: (owner, file) => void of(owner).set(file.id, file),
    get: (owner, id) => owners.get(owner)?.get(id),
    find(owner, url) {
      return url.startsWith('ms://') ? owners.get(owner)?.get(url.slice(5)) : undefined;
    },
    list: (owner) => [...(owners.get(owner)?.values() ?? [])],
    delete: (owner, id) => (owners.get(owner)?.delete(id) === true ? 'deleted' : 'unknown'),
    clear() {
      owners.clear();
    },
  };
}
