import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatPart, MediaSource } from '#core/chat.ts';

export type MediaPart = Exclude<ChatPart, { type: 'text' }>;
export type InlineSource = Extract<MediaSource, { base64: string }>;
export type MediaKind = 'image' | 'video';

export const MEDIA_WORDS: Record<MediaKind, string> = { image: 'picture', video: 'video' };

/** The messages with each picture, video and document of the user changed. */
export function replaceMedia(
  messages: readonly ChatMessage[],
  change: (part: MediaPart, field: string) => MediaPart,
): readonly ChatMessage[] {
  return messages.map((message, index) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((part, at) =>
      part.type === 'text' ? part : change(part, `messages[${index}].content[${at}]`),
    );
    return { ...message, content };
  });
}

/** The same for changes that take time, one after the other. */
export async function changeMedia(
  messages: readonly ChatMessage[],
  change: (part: MediaPart, field: string) => Promise<MediaPart>,
): Promise<readonly ChatMessage[]> {
  const parts = new Map<string, MediaPart>();
  replaceMedia(messages, (part, field) => {
    parts.set(field, part);
    return part;
  });
  for (const [field, part] of parts) parts.set(field, await change(part, field));
  return replaceMedia(messages, (part, field) => parts.get(field) ?? part);
}

export function refuseMedia(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

export function toDataUrl({ mediaType, base64 }: InlineSource): string {
  return `data:${mediaType};base64,${base64}`;
}
