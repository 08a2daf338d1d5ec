import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { fileIdOf } from '#core/files/file-input.ts';
import type { LoadedMedia } from '#core/files/file-intake.ts';
import type { AskText } from '#core/llm/ask.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import { mediaSize } from './load-state.ts';
import type { ReadContent } from './read-content.ts';

const MAX_ENTRIES = 100;
const MAX_CHARS = 8_000_000;
const MAX_MEDIA = 10;
const MAX_MEDIA_BYTES = 20_000_000;
const MAX_SHOWN_CHARS = 200;

/** Errors that a file may cause between two questions; they do not fail the call. */
const NO_LONGER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'not_found',
  'permission',
  'too_large',
  'validation',
  'auth',
]);

export interface EarlierFiles {
  /** In the order of what was kept; of two texts with one name only the newest. */
  readonly texts: readonly AskText[];
  readonly media: readonly LoadedMedia[];
  readonly notices: readonly Notice[];
}

/**
 * Reads what a conversation has kept, as it is now. What can no longer be read becomes a notice;
 * beyond the limits the oldest are left out. `kept` is newest first.
 */
export async function readEarlierFiles(
  kept: readonly string[],
  read: (kept: string) => Promise<readonly ReadContent[]>,
): Promise<EarlierFiles> {
  const contents: ReadContent[] = [];
  const notices: Notice[] = [];
  const names = new Set<string>();
  let chars = 0;
  let media = 0;
  let mediaBytes = 0;
  let mediaLeftOut = 0;
  let at = 0;
  for (; at < kept.length && at < MAX_ENTRIES && chars < MAX_CHARS; at += 1) {
    const found = await readOne(kept[at] ?? '', read, notices);
    for (const content of found) {
      if (content.text && names.has(content.text.name)) continue;
      if (content.text) names.add(content.text.name);
      chars += content.text?.text.length ?? 0;
      if (content.media) {
        media += 1;
        mediaBytes += mediaSize(content);
        if (media > MAX_MEDIA || mediaBytes > MAX_MEDIA_BYTES) {
          mediaLeftOut += 1;
          continue;
        }
      }
      contents.push(content);
      notices.push(...content.notices);
    }
  }
  const left = kept.length - at;
  if (left > 0) notices.push(notice('earlier_files_left_out', { count: left }));
  if (mediaLeftOut > 0) notices.push(notice('earlier_media_left_out', { count: mediaLeftOut }));
  return {
    texts: contents.flatMap(({ text }) => (text ? [text] : [])),
    media: contents.flatMap(({ media: one }) => (one ? [one] : [])),
    notices,
  };
}

async function readOne(
  kept: string,
  read: (kept: string) => Promise<readonly ReadContent[]>,
  notices: Notice[],
): Promise<readonly ReadContent[]> {
  try {
    return await read(kept);
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (!NO_LONGER.has(error.class)) throw thrown;
    const lost = { path: oneLine(kept, MAX_SHOWN_CHARS), error: errorText(error) };
    notices.push(notice('earlier_file_lost', lost));
    return [];
  }
}

/** The ids of the stored files among what was kept. */
export function storedIds(kept: readonly string[]): readonly string[] {
  return kept.flatMap((each) => fileIdOf(each) ?? []).slice(0, MAX_ENTRIES);
}
