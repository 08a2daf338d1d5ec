import type { AuditKey, AuditKeys } from '#store/audit/keys.ts';

let made = 0;

/** Keys that are gone with the test; no two are the same. */
export function keysInMemory(...known: readonly AuditKey[]): AuditKeys {
  const keys: AuditKey[] = [...known];
  return {
    list: () => keys,
    make(writerId, fromSeq) {
      const key = { writerId, fromSeq, key: new Uint8Array(32).fill(++made) };
      keys.push(key);
      return key;
    },
    recordHead(writerId, seq) {
      for (const [at, key] of keys.entries()) {
        const { untilSeq = 0 } = key;
        if (key.writerId === writerId && untilSeq < seq) keys[at] = { ...key, untilSeq: seq };
      }
    },
  };
}
