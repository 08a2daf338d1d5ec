import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatPart, MediaSource } from '#core/chat.ts';

export type MediaPart = Exclude<ChatPart, { type: 'text' }>;
export type InlineSource = Extract<MediaSource, { base64: string }>;
export type MediaKind = 'image' | 'video';

export const MEDIA_WORDS: Record<MediaKind, string> = { image: 'picture', video: 'video' };

/** The messages with each picture, video and document of the user changed, one after the other. */
export async function changeMedia(
  messages: readonly ChatMessage[],
  change: (part: MediaPart, field: string) => Promise<MediaPart>,
): Promise<readonly ChatMessage[]> {
  const changed: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || typeof message.content === 'string') {
      changed.push(message);
      continue;
    }
    const content: ChatPart[] = [];
    for (const [at, part] of message.content.entries()) {
      const field = `messages[${index}].content[${at}]`;
      content.push(part.type === 'text' ? part : await change(part, field));
    }
    changed.push({ ...message, content });
  }
  return changed;
}

export function refuseMedia(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

export function toDataUrl({ mediaType, base64 }: InlineSource): string {
  return `data:${mediaType};base64,${base64}`;
}
