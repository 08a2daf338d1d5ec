import type { Log } from '#core/telemetry.ts';
import type { Request } from './in-flight.ts';

/** What a client of the legacy era wished for its connection, kept for every daemon that comes later. */
export interface Wishes {
  /** The addresses that it watches. */
  readonly watched: ReadonlySet<string>;
  /** A daemon did what it was asked; most of that is no wish. */
  granted(request: Request): void;
  /** The requests that tell another daemon all of them. */
  sayAgain(newId: () => string): string[];
}

/** As many as a daemon takes of one client. */
const MOST_WATCHED = 10_000;
const MOST_WATCHED_CHARS = 4_194_304;

const METHODS: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function isWish(method: string): boolean {
  return METHODS.has(method);
}

export function createWishes(log: Log): Wishes {
  const watched = new Set<string>();
  let watchedChars = 0;
  let level: string | undefined;

  function watch(uri: string): void {
    if (watched.has(uri)) return;
    if (watched.size >= MOST_WATCHED || watchedChars + uri.length > MOST_WATCHED_CHARS) {
      return log.warn('wish_not_kept', { watched: watched.size });
    }
    watched.add(uri);
    watchedChars += uri.length;
  }

  return {
    watched,
    granted({ method, line }) {
      // Too large to be kept; so is what it asks for.
      if (line === undefined) return log.warn('wish_not_kept', { watched: watched.size });
      const { params } = JSON.parse(line) as { params?: { level?: unknown; uri?: unknown } };
      const value = method === 'logging/setLevel' ? params?.level : params?.uri;
      if (typeof value !== 'string') return;
      if (method === 'logging/setLevel') level = value;
      else if (method === 'resources/subscribe') watch(value);
      else if (watched.delete(value)) watchedChars -= value.length;
    },
    sayAgain(newId) {
      const say = (method: string, params: object) =>
        JSON.stringify({ jsonrpc: '2.0', id: newId(), method, params });
      return [
        ...(level === undefined ? [] : [say('logging/setLevel', { level })]),
        ...Array.from(watched, (uri) => say('resources/subscribe', { uri })),
      ];
    },
  };
}
