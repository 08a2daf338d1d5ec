import type { JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { isThoughtOnly } from './end-of-answer.ts';
import type { Ended, Round } from './round.ts';

/** What to change so that a model that spent its whole budget on thinking has room to answer. */
export interface ThoughtRelief {
  /** The field that limits the output. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** Members that turn thinking off or down; nothing when this model cannot. */
  readonly less: JsonObject | undefined;
}

const MORE_ROOM = 4;
const LEAST_ROOM = 4096;

/**
 * The same question once more after the first answer was all thought: with less thought, which stays within what the caller allowed; with
 * more room where the model cannot think less.
 */
export function afterThoughtsAlone(
  { isRelieved, body, turn, end, hasContent }: Ended,
  model: Model,
  { limitField, less }: ThoughtRelief,
): Round | undefined {
  if (isRelieved || hasContent || end.is !== 'failed' || !isThoughtOnly(turn)) return undefined;
  if (less) {
    const again = notice('asked_again', { model: model.title, reason: 'only_thinking' });
    return { body: { ...body, ...less }, notices: [again], isRelief: true };
  }
  const limit = body[limitField];
  if (typeof limit !== 'number' || limit >= model.maxOutputTokens) return undefined;
  const wider = Math.min(Math.max(limit * MORE_ROOM, LEAST_ROOM), model.maxOutputTokens);
  const room = { limit, raisedTo: wider };
  const again = notice('asked_again', { model: model.title, reason: 'token_limit', ...room });
  return { body: { ...body, [limitField]: wider }, notices: [again], isRelief: true };
}
