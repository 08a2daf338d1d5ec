import type { MediaSource } from '#core/llm/chat.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { InlineRule } from '#core/providers/assumption.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Modality } from './model.ts';

export type MediaKind = Exclude<Modality, 'text'>;

/** Media sent as bytes within a request. */
export interface InlineBytes {
  /** In lower case, without parameters; empty if unknown. */
  readonly mediaType: string;
  /** Accurate to two bytes. */
  readonly bytes: number;
}

export function inlineRule(provider: ProviderId, kind: MediaKind): InlineRule | undefined {
  return descriptorOf(provider).inlineMedia?.[kind];
}

export function fitsRule({ types, maxBytes }: InlineRule, { mediaType, bytes }: InlineBytes) {
  return types.includes(mediaType) && bytes <= maxBytes;
}

/** The inline bytes of a source or data URL; undefined for references. */
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

/** Byte length of base64 text. */
function bytesOf(chars: number): number {
  return Math.floor((chars * 3) / 4);
}
