import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatPart, MediaSource } from '#core/llm/chat.ts';

export type MediaPart = Exclude<ChatPart, { type: 'text' }>;
export type InlineSource = Extract<MediaSource, { base64: string }>;
export type FetchableMedia = 'image' | 'video';

export const MEDIA_LABELS: Record<FetchableMedia, string> = { image: 'picture', video: 'video' };

/** Maps each picture, video and document in the user's messages. */
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

/** The same for asynchronous changes, one after the other. */
export async function replaceMediaAsync(
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
