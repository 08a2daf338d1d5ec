import type { MediaSource } from '#core/chat.ts';
import type { ProviderId } from '#core/provider.ts';
import type { Modality } from './model.ts';

export type MediaKind = Exclude<Modality, 'text'>;

/** What comes as bytes within a request. */
export interface InlineBytes {
  /** In lower case, without parameters; empty where none is given. */
  readonly mediaType: string;
  /** To within two bytes. */
  readonly bytes: number;
}

/** What a vendor takes of a kind as bytes; what has an address is for the vendor to fetch. */
export interface InlineRule {
  /** None where it takes addresses alone. */
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** Goes on `it takes …`. */
  readonly takes: string;
  readonly fix: string;
}

const MB = 1024 * 1024;

/** Vendors and kinds that are not here take any type, as far as a model takes the kind at all. */
const RULES: Readonly<
  Partial<Record<ProviderId, Readonly<Partial<Record<MediaKind, InlineRule>>>>>
> = {
  glm: {
    image: {
      types: ['image/jpeg', 'image/jpg', 'image/png'],
      maxBytes: 5 * MB,
      takes: 'pictures as JPEG or PNG of up to 5 MB',
      fix: 'Send a JPEG or PNG of up to 5 MB and 6000 x 6000 pixels, or its URL.',
    },
    video: {
      types: ['video/mp4', 'video/x-matroska', 'video/quicktime'],
      maxBytes: 8 * MB,
      takes: 'videos as MP4, MKV or MOV of up to 8 MB',
      fix: 'Send an MP4, MKV or MOV of up to 8 MB, or the URL of one of up to 200 MB.',
    },
    file: {
      types: [],
      maxBytes: 0,
      takes: 'documents only by their URL',
      fix: 'Send the URL of the document, or its text.',
    },
  },
};

export function inlineRule(provider: ProviderId, kind: MediaKind): InlineRule | undefined {
  return RULES[provider]?.[kind];
}

export function fitsRule({ types, maxBytes }: InlineRule, { mediaType, bytes }: InlineBytes) {
  return types.includes(mediaType) && bytes <= maxBytes;
}

/** The bytes of a source, also of a data URL; nothing for one that is elsewhere. */
export function inlineOf(source: MediaSource): InlineBytes | undefined {
  if ('fileId' in source) return undefined;
  if ('base64' in source) {
    return { mediaType: bareType(source.mediaType), bytes: bytesOf(source.base64.length) };
  }
  if (!/^data:/i.test(source.url)) return undefined;
  const head = /^data:([^;,]{1,100})(?:;[^;,]{0,100}){0,3};base64,/i.exec(source.url.slice(0, 500));
  return {
    mediaType: bareType(head?.[1] ?? ''),
    bytes: bytesOf(source.url.length - (head?.[0].length ?? 0)),
  };
}

function bareType(type: string): string {
  return (type.slice(0, 200).split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Of base64. */
function bytesOf(chars: number): number {
  return Math.floor((chars * 3) / 4);
}
