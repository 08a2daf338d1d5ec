import type { ChatRequest } from '#core/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import { isFree } from '../capable.ts';

/** The most that a side question can cost; nothing where nobody named a price. */
export function smallCost(
  model: Model,
  { messages, maxOutputTokens = Infinity }: Pick<ChatRequest, 'messages' | 'maxOutputTokens'>,
): number | undefined {
  if (isFree(model)) return 0;
  const output = Math.min(maxOutputTokens, model.maxOutputTokens);
  const usage = { input: estimateChat(messages), output, cached: 0, reasoning: 0, estimated: true };
  const { known, microUsd } = costOf(model, usage);
  return known ? microUsd : undefined;
}
