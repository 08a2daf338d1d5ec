import type { LoadedMedia } from '#core/files/file-intake.ts';
import type { AskText } from '#core/llm/ask.ts';
import { distinctNotices, type Notice } from '#core/messages/notices.ts';
import type { NamedFile } from '#core/workspace.ts';
import { MAX_FILE_BYTES, MAX_MEDIA_BYTES, MAX_TEXT_BYTES } from '../limits.ts';
import { requireInAll, type ReadContent } from './read-content.ts';

/** The files that a load has read so far, within the limits of one call. */
export interface LoadState {
  readonly texts: readonly AskText[];
  readonly media: readonly LoadedMedia[];
  readonly notices: readonly Notice[];
  /** Adds a file that the caller named; throws `too_large`. */
  add(content: ReadContent): void;
  /** Adds a file of a folder or pattern, or leaves it out. */
  addFrom(file: NamedFile, content: ReadContent): void;
  notify(notices: readonly Notice[]): void;
}

export function createLoadState(field: string): LoadState {
  const texts: AskText[] = [];
  const media: LoadedMedia[] = [];
  const notices: Notice[] = [];
  let textBytes = 0;
  let mediaBytes = 0;

  function add(content: ReadContent): void {
    textBytes += textSize(content);
    mediaBytes += mediaSize(content);
    requireInAll(textBytes, MAX_TEXT_BYTES, 'texts', field);
    requireInAll(mediaBytes, MAX_MEDIA_BYTES, 'pictures and videos', field);
    if (content.text) texts.push(content.text);
    if (content.media) media.push(content.media);
    notices.push(...content.notices);
  }

  function reasonAgainst(content: ReadContent, is: 'folder' | 'pattern') {
    const { text, media: one, isEmpty } = content;
    if (isEmpty) return 'empty';
    // A folder of sources may hold hundreds of icons.
    if (one && is === 'folder') return 'no_text';
    if (text && !text.document && textSize(content) > MAX_FILE_BYTES) return 'too_large';
    const isFull =
      textBytes + textSize(content) > MAX_TEXT_BYTES ||
      mediaBytes + mediaSize(content) > MAX_MEDIA_BYTES;
    return isFull ? 'full' : undefined;
  }

  return {
    texts,
    media,
    get notices() {
      return distinctNotices(notices);
    },
    add,
    addFrom({ name, within }, content) {
      const reason = within && reasonAgainst(content, within.is);
      if (reason === undefined) add(content);
      else within?.leftOut.add(reason, name);
    },
    notify: (more) => void notices.push(...more),
  };
}

function textSize({ text }: ReadContent): number {
  return text === undefined ? 0 : Buffer.byteLength(text.text);
}

export function mediaSize({ media }: Pick<ReadContent, 'media'>): number {
  const source = media?.part.source;
  return source && 'base64' in source ? Math.floor((source.base64.length * 3) / 4) : 0;
}
