import type { TokenUsage } from '#core/llm/chat.ts';
import type { ChatOutcome } from '#core/llm/collect-chat.ts';

/** An attempt, as far as its usage is concerned. */
export interface DeliveringAttempt {
  readonly outcome: ChatOutcome;
  /** As the vendor reports it, else estimated. */
  readonly usage: TokenUsage;
  /** Estimated tokens of the prompt, without the text that it continues. */
  readonly promptTokens: number;
  /** The text that it continues; empty for a new answer. */
  readonly continues: string;
  /** Estimated tokens of the messages with that text and the instruction to continue it. */
  readonly addedTokens: number;
  /** Characters of its text that were emitted. */
  readonly emittedChars: number;
  readonly maxOutputTokens: number | undefined;
}

/**
 * Adds an attempt to the usage of the answer as a client counts it: its own prompt once, and the
 * output that it got. Attempts that delivered nothing do not count.
 */
export function addDelivered(
  before: TokenUsage | undefined,
  attempt: DeliveringAttempt,
): TokenUsage | undefined {
  const { outcome, emittedChars, continues, maxOutputTokens = Infinity } = attempt;
  if (outcome.is === 'failed' && emittedChars === 0) return before;
  const usage = outcome.answer.answerUsage ?? attempt.usage;
  const isContinuation = continues !== '';
  const earlier = isContinuation && before ? before : NOTHING;
  // The reasoning of a continuation is not emitted.
  const reasoning = isContinuation ? 0 : usage.reasoning;
  const written = Math.round((usage.output - usage.reasoning) * emittedShare(attempt));
  const output = Math.min(earlier.output + reasoning + written, maxOutputTokens);
  const input = isContinuation ? ownPrompt(usage, attempt) : usage.input;
  return {
    input,
    output,
    cached: Math.min(usage.cached, input),
    reasoning: Math.min(earlier.reasoning + reasoning, output),
    estimated: earlier.estimated || usage.estimated,
  };
}

const NOTHING = { output: 0, reasoning: 0, estimated: false };

/** The share of the text that was emitted: a continuation may repeat what was there. */
function emittedShare({ outcome, emittedChars, continues }: DeliveringAttempt): number {
  const { text, toolCalls } = outcome.answer;
  const isWhole = outcome.is === 'answered' && continues === '';
  if (isWhole || toolCalls.length > 0 || text === '') return 1;
  return Math.min(1, emittedChars / text.length);
}

/** Below this share of what the vendor counts, an estimate is of something else. */
const LEAST_RATIO = 0.5;

/**
 * The prompt tokens without the text that was continued and the instruction to do so. Estimates are
 * rather too high, of the prompt and of what was added to it alike, so the vendor's count of both shows by
 * how much.
 */
function ownPrompt(
  { input }: TokenUsage,
  { outcome, promptTokens, addedTokens }: DeliveringAttempt,
): number {
  // Our estimate does not include what was added.
  if (!outcome.answer.usage) return promptTokens;
  const ratio = Math.max(LEAST_RATIO, Math.min(1, input / (promptTokens + addedTokens)));
  return Math.max(0, input - Math.round(addedTokens * ratio));
}

/**
 * What is left of the caller's token limit for an attempt; undefined without a limit. A new answer
 * has all of it, a continuation what the text so far has left.
 */
export function remainingOutput(
  maxOutputTokens: number | undefined,
  {
    emittedText,
    delivered,
  }: { readonly emittedText: string; readonly delivered: TokenUsage | undefined },
): number | undefined {
  if (maxOutputTokens === undefined || emittedText === '') return maxOutputTokens;
  return Math.max(0, maxOutputTokens - (delivered?.output ?? 0));
}
