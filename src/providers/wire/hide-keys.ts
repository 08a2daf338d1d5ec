import type { Secret } from '#core/secret.ts';

/** Takes the keys of providers out of what providers say: a server may send back what it was sent. */
export interface KeyFilter {
  /** Of a text that is whole. */
  hide(text: string): string;
  /** For a text that comes in pieces. */
  stream(): KeyStream;
}

/** Hands on pieces of a text at once, but for an end that may be the beginning of a key: that waits for the next piece. */
export interface KeyStream {
  take(piece: string): string;
  /** What waits, as nothing may come after it for a while. If a key goes on from there, the rest of it is hidden. */
  flush(): string;
}

export const HIDDEN = '[secret]';

export const NO_KEYS: KeyFilter = {
  hide: (text) => text,
  stream: () => ({ take: (piece) => piece, flush: () => '' }),
};

export function createKeyFilter(secrets: readonly Secret[]): KeyFilter {
  const keys = [...new Set(secrets)].filter(({ isHideable }) => isHideable);
  if (keys.length === 0) return NO_KEYS;
  return {
    hide(text) {
      const found = hidden(text, keys, 0);
      return found.text + text.slice(found.end);
    },
    stream: () => createStream(keys),
  };
}

function createStream(keys: readonly Secret[]): KeyStream {
  /** What may begin a key; so many characters of it were told already. */
  let tail = '';
  let told = 0;
  return {
    take(piece) {
      const all = tail + piece;
      const { text, end } = hidden(all, keys, told);
      let open = 0;
      for (const key of keys) open = Math.max(open, key.beginsAtEndOf(all, end));
      const from = all.length - open;
      tail = all.slice(from);
      const toldUntil = Math.max(end, told);
      told = Math.max(0, toldUntil - from);
      return text + all.slice(toldUntil, from);
    },
    flush() {
      const rest = tail.slice(told);
      told = tail.length;
      return rest;
    },
  };
}

/** The text from `from` on and up to behind the last key in it, with every key hidden. A key may begin before `from`. */
function hidden(
  all: string,
  keys: readonly Secret[],
  from: number,
): { readonly text: string; readonly end: number } {
  let text = '';
  let told = from;
  let end = 0;
  for (;;) {
    const found = firstOf(all, keys, end);
    if (!found) return { text, end };
    text += all.slice(told, found.at) + HIDDEN;
    end = found.end;
    told = end;
  }
}

/** Of two that begin at one place, the longer. */
function firstOf(text: string, keys: readonly Secret[], from: number) {
  let first: ReturnType<Secret['find']>;
  for (const key of keys) {
    const found = key.find(text, from);
    if (!found) continue;
    const isBefore = !first || found.at < first.at;
    if (isBefore || (found.at === first?.at && found.end > first.end)) first = found;
  }
  return first;
}
