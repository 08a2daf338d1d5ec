import { isObject, type Dictionary } from '../is-object.ts';
import { countTokens } from '../tokens.ts';

/** What a message costs beyond its words. */
const MESSAGE_TOKENS = 4;
const IMAGE_TOKENS = 256;
const VIDEO_TOKENS = 1_024;
const FILE_TOKENS = 512;

export interface PromptTokens {
  readonly text: number;
  readonly image: number;
  readonly video: number;
  readonly total: number;
}

/** Of messages and tools in OpenAI's shape. */
export function countPrompt(messages: readonly Dictionary[], tools: unknown): PromptTokens {
  let text = Array.isArray(tools) && tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0;
  let image = 0;
  let video = 0;
  for (const message of messages) {
    text += MESSAGE_TOKENS;
    const { content, tool_calls: calls, reasoning_content: thoughts } = message;
    if (typeof content === 'string') text += countTokens(content);
    if (typeof thoughts === 'string') text += countTokens(thoughts);
    if (Array.isArray(calls)) text += countTokens(JSON.stringify(calls));
    if (!Array.isArray(content)) continue;
    for (const part of (content as readonly unknown[]).filter(isObject)) {
      if (typeof part['text'] === 'string') text += countTokens(part['text']);
      else if (part['type'] === 'image_url') image += IMAGE_TOKENS;
      else if (part['type'] === 'video_url') video += VIDEO_TOKENS;
      else text += FILE_TOKENS;
    }
  }
  return { text, image, video, total: text + image + video };
}
