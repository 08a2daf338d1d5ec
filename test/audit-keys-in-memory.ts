import type { AuditKey, AuditKeys } from '#store/audit-key.ts';

let made = 0;

/** Keys that are gone with the test; no two are the same. */
export function keysInMemory(...known: readonly AuditKey[]): AuditKeys {
  const keys = [...known];
  return {
    list: () => keys,
    make(writerId, fromSeq) {
      const key = { writerId, fromSeq, key: new Uint8Array(32).fill(++made) };
      keys.push(key);
      return key;
    },
  };
}
