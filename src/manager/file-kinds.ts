import type { AskText } from '#core/ask.ts';
import type { ChatMessage, ChatPart } from '#core/chat.ts';
import type { InlineMedia, RouteFacts } from '#core/route.ts';
import { inlineOf } from '#models/inline-media.ts';

const DOCUMENT = /\.(?:pdf|docx?|pptx?|xlsx?|od[tsp]|rtf|epub)$/i;
const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic)$/i;

/** What is attached to messages, whichever turn it came with: all of it is sent again. */
export interface Attached {
  readonly images: number;
  readonly videos: number;
  /** Documents that the model gets as they are. */
  readonly files: number;
  /** Of these, pictures. */
  readonly scans: number;
  /** Of all these, what comes as bytes: of each kind and type the largest. */
  readonly inline: readonly InlineMedia[];
}

/** More turns than this no window holds, so what hangs on older ones is not sent. */
const MAX_TURNS = 20_000;
/** Nobody has more types of pictures; what is beyond is judged by whoever is asked. */
const MAX_TYPES = 32;

export function attachedTo(messages: readonly ChatMessage[]): Attached {
  const found = { images: 0, videos: 0, files: 0, scans: 0 };
  const inline = new Map<string, InlineMedia>();
  const oldest = Math.max(0, messages.length - MAX_TURNS);
  for (let at = messages.length - 1; at >= oldest; at--) {
    const content = messages[at]?.content;
    if (typeof content === 'string' || content === undefined) continue;
    for (const [place, part] of content.entries()) {
      if (part.type === 'text') continue;
      keepLargest(inline, part, `messages[${at}].content[${place}]`);
      if (part.type === 'image') found.images += 1;
      else if (part.type === 'video') found.videos += 1;
      else {
        found.files += 1;
        if (isPicture(part)) found.scans += 1;
      }
    }
  }
  return { ...found, inline: [...inline.values()] };
}

type MediaPart = Exclude<ChatPart, { type: 'text' }>;

function keepLargest(inline: Map<string, InlineMedia>, part: MediaPart, field: string): void {
  const given = inlineOf(part.source);
  if (!given || given.bytes === 0) return;
  const key = `${part.type} ${given.mediaType}`;
  const before = inline.get(key);
  if (before ? before.bytes >= given.bytes : inline.size >= MAX_TYPES) return;
  inline.set(key, { kind: part.type, ...given, field });
}

function isPicture(part: MediaPart): boolean {
  const { source } = part;
  return 'mediaType' in source && source.mediaType.toLowerCase().startsWith('image/');
}

/** The files of a question: texts, each name once, and what hangs on messages. */
export function countFiles(
  texts: readonly AskText[],
  tokens: number,
  attached: Attached,
): RouteFacts['files'] {
  const files = texts.filter(({ as }) => as !== 'material');
  const byName = new Map(files.map((file) => [file.name, file]));
  let documents = attached.files - attached.scans;
  let scans = attached.scans;
  for (const { name, text } of byName.values()) {
    // A document that gave no text is pictures of pages.
    if (PICTURE.test(name) || (DOCUMENT.test(name) && text.trim() === '')) scans += 1;
    else if (DOCUMENT.test(name)) documents += 1;
  }
  return {
    count: byName.size + attached.files,
    tokens,
    documents,
    scans,
    ...(attached.files > 0 && { attached: attached.files }),
  };
}
