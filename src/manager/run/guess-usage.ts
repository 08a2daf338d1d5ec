import type { TokenUsage } from '#core/chat.ts';
import type { ChatAnswer } from '#core/collect-chat.ts';
import { estimateSampled } from '#models/estimate-sampled.ts';

/** What an answer used, where its vendor did not tell: some of it was written, so all was read. */
export function guessUsage(answer: ChatAnswer, promptTokens: number): TokenUsage | undefined {
  const { text, reasoning: thoughts, toolCalls } = answer;
  if (text === '' && thoughts === '' && toolCalls.length === 0) return undefined;
  const reasoning = estimateSampled(thoughts);
  const calls = toolCalls.map((call) => call.name + call.arguments).join(' ');
  const output = reasoning + estimateSampled(text) + estimateSampled(calls);
  return { input: promptTokens, output, cached: 0, reasoning, estimated: true };
}
