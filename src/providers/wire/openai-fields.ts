import type { ResponseFormat, ToolChoice } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { NOTHING, type WrittenFields } from './written.ts';

/** Nothing for `auto`, which is what everybody does unasked. */
export function writeToolChoice(choice: ToolChoice = 'auto'): JsonObject {
  if (choice === 'auto') return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  return { tool_choice: { type: 'function', function: { name: choice.name } } };
}

export function writeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { response_format: { type: 'json_object' } };
  const { name, schema } = format;
  return { response_format: { type: 'json_schema', json_schema: { name, schema } } };
}

export function writeLimit(
  wish: number | undefined,
  { title, maxOutputTokens }: Model,
): WrittenFields {
  if (wish === undefined) return NOTHING;
  if (wish <= maxOutputTokens) return { fields: { max_tokens: wish }, notices: [] };
  const lowered = {
    model: title,
    limit: maxOutputTokens,
    requested: wish,
    reason: 'model',
  } as const;
  return {
    fields: { max_tokens: maxOutputTokens },
    notices: [notice('max_tokens_lowered', lowered)],
  };
}
