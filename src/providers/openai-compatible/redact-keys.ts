import type { JsonObject } from '#core/json/json.ts';
import type { Secret } from '#core/secrets/secret.ts';

/** Redacts provider keys in responses: a server may send back what it was sent. */
export interface KeyRedactor {
  /** For a whole text. */
  redact(text: string): string;
  /** For a streamed text. */
  stream(): KeyRedactorStream;
}

/**
 * Redacts a streamed text. Pieces are passed on at once, except for an end that may be the
 * beginning of a key.
 */
export interface KeyRedactorStream {
  take(piece: string): string;
  /**
   * Returns what is held back, before a pause. If it turns out to be a key, its rest is redacted.
   */
  flush(): string;
}

export const REDACTED = '[secret]';

export const NO_KEYS: KeyRedactor = {
  redact: (text) => text,
  stream: () => ({ take: (piece) => piece, flush: () => '' }),
};

export function createKeyRedactor(secrets: readonly Secret[]): KeyRedactor {
  const keys = [...new Set(secrets)].filter(({ isHideable }) => isHideable);
  if (keys.length === 0) return NO_KEYS;
  return {
    redact(text) {
      const found = redacted(text, keys, 0);
      return found.text + text.slice(found.end);
    },
    stream: () => createStream(keys),
  };
}

function createStream(keys: readonly Secret[]): KeyRedactorStream {
  /** Text that may begin a key, and how many of its characters were already passed on. */
  let tail = '';
  let emitted = 0;
  return {
    take(piece) {
      const all = tail + piece;
      const { text, end } = redacted(all, keys, emitted);
      let open = 0;
      for (const key of keys) open = Math.max(open, key.beginsAtEndOf(all, end));
      const from = all.length - open;
      tail = all.slice(from);
      const emittedUntil = Math.max(end, emitted);
      emitted = Math.max(0, emittedUntil - from);
      return text + all.slice(emittedUntil, from);
    },
    flush() {
      const rest = tail.slice(emitted);
      emitted = tail.length;
      return rest;
    },
  };
}

/**
 * The text from `from` to the end of the last key, with all keys redacted. A key may begin before
 * `from`.
 */
function redacted(
  all: string,
  keys: readonly Secret[],
  from: number,
): { readonly text: string; readonly end: number } {
  let text = '';
  let emitted = from;
  let end = 0;
  for (;;) {
    const found = firstOf(all, keys, end);
    if (!found) return { text, end };
    text += all.slice(emitted, found.at) + REDACTED;
    end = found.end;
    emitted = end;
  }
}

/** The first key in a text; of two at the same position, the longer. */
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

/**
 * Redacts keys in streamed `reasoning_details`, whose entries each contain the next piece of a
 * text.
 */
interface HiddenDetails {
  take(details: readonly JsonObject[]): readonly JsonObject[];
  /** What was held back, as a separate entry. */
  end(): readonly JsonObject[];
}

const PIECES = ['text', 'summary'] as const;

/** Redacts keys that span several entries; whole keys were redacted before. */
export function createDetailsRedactor(keys: KeyRedactor): HiddenDetails {
  const stream = keys.stream();
  let last: { readonly entry: JsonObject; readonly name: string } | undefined;

  function redacted(entry: JsonObject): JsonObject {
    const name = PIECES.find((each) => typeof entry[each] === 'string');
    if (name === undefined) return entry;
    const piece = entry[name] as string;
    const emitted = stream.take(piece);
    last = { entry, name };
    return emitted === piece ? entry : { ...entry, [name]: emitted };
  }

  return {
    take: (details) => details.map(redacted),
    end() {
      const rest = stream.flush();
      return rest === '' || !last ? [] : [{ ...last.entry, [last.name]: rest }];
    },
  };
}
