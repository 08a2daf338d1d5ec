import { isObject, type Dictionary } from '../is-object.ts';
import { thinks } from './check-chat.ts';
import type { GlmModel } from './models.ts';

/** From 4.7 on a model can keep the reasoning of earlier turns. */
const canKeep = (model: GlmModel): boolean => /^glm-(4\.7|5)/.test(model.id);

/**
 * The messages as the model sees them. With `clear_thinking: false` all reasoning stays; otherwise
 * what was thought before the last message of the user is cleared.
 */
export function withSeenThoughts(
  messages: readonly Dictionary[],
  body: Dictionary,
  model: GlmModel,
): readonly Dictionary[] {
  const { thinking } = body;
  const isKept = canKeep(model) && isObject(thinking) && thinking['clear_thinking'] === false;
  const from = !thinks(body, model)
    ? messages.length
    : isKept
      ? 0
      : messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, at) => {
    if (at >= from || message['reasoning_content'] === undefined) return message;
    const { reasoning_content: _cleared, ...rest } = message;
    return rest;
  });
}
