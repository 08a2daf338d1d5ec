/** Texts by their key, the ones used last, within so many bytes. */
export interface SummaryCache {
  get(key: string): string | undefined;
  set(key: string, text: string): void;
  readonly bytes: number;
}

/** Of an entry beside its texts, roughly. */
const ENTRY_BYTES = 128;
const BYTES_PER_UNIT = 2;

export function createSummaryCache(maxBytes: number): SummaryCache {
  const entries = new Map<string, string>();
  let bytes = 0;

  function drop(key: string): void {
    const text = entries.get(key);
    if (text === undefined) return;
    entries.delete(key);
    bytes -= sizeOf(key, text);
  }

  return {
    get(key) {
      const text = entries.get(key);
      if (text === undefined) return undefined;
      entries.delete(key);
      entries.set(key, text);
      return text;
    },
    set(key, text) {
      drop(key);
      const size = sizeOf(key, text);
      if (size > maxBytes) return;
      entries.set(key, text);
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    get bytes() {
      return bytes;
    },
  };
}

function sizeOf(key: string, text: string): number {
  return ENTRY_BYTES + (key.length + text.length) * BYTES_PER_UNIT;
}
