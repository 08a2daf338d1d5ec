import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import type { LoadedMedia } from '#core/files/file-intake.ts';
import { shownName } from './file-names.ts';
import type { ReadContent } from './read-content.ts';

/** A picture or video of the web. */
export interface FetchedMedia {
  /** The last part of its path. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface MediaFetcher {
  /** Rejects with `permission` for an address in a private network. */
  check(url: string, field: string): Promise<void>;
  /** Fetches from public addresses only; every redirect is checked. */
  fetch(url: string, field: string, signal: AbortSignal): Promise<FetchedMedia>;
}

const VIDEO = /\.(?:mp4|m4v|mov|mkv|webm|avi|mpe?g)$/i;

/**
 * Whether an address names a video: providers fetch those themselves, as they may be larger than a
 * request.
 */
export function isVideoUrl(url: string): boolean {
  return VIDEO.test(url.split(/[?#]/, 1)[0] ?? '');
}

/** A picture or video that stays an address. */
export function mediaAt(url: string): LoadedMedia {
  const sha256 = createHash('sha256').update(url).digest('hex');
  const type = isVideoUrl(url) ? 'video' : 'image';
  return { name: url, sha256, part: { type, source: { url } } };
}

/** Refuses a page or text that an address has instead of a picture. */
export function requireMedia({ media, text, mediaType }: ReadContent, url: string, field: string) {
  const isDocument = text?.document !== undefined && !mediaType.startsWith('text/');
  if (media || isDocument) return;
  const message = `${shownName(url)} is not a picture: its content is ${mediaType}.`;
  throw new CallError('validation', message, {
    field,
    fix: 'Give the address of the picture itself, not of the page that shows it.',
  });
}
