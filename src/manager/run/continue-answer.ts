/**
 * The continuation of an answer on another model, after the stream of the first one broke: what the
 * next model is sent, and how repeated text is removed.
 */
import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import type { Provider } from '#core/llm/provider.ts';
import { createOverlapTrimmer, type StreamStitcher } from '#resilience/continuation-overlap.ts';
import type { ProviderCallResult } from './provider-call.ts';

/** The messages for a model that continues another's answer. */
export interface ContinuationPrompt {
  readonly messages: readonly ChatMessage[];
  readonly continuation?: 'prefix';
}

const CONTINUE_PROMPT =
  'Your answer above was cut off by a technical fault. Go on from its very last character: repeat nothing, ' +
  'do not apologise, do not comment on the break, keep language, tone and format.';

/** The conversation with the emitted part of the answer, for a model that continues it. */
export function continueFrom(
  messages: readonly ChatMessage[],
  emittedText: string,
  { capabilities }: Pick<Provider, 'capabilities'>,
): ContinuationPrompt {
  const answered: readonly ChatMessage[] = [
    ...messages,
    { role: 'assistant', content: emittedText },
  ];
  if (capabilities.includes('prefix')) return { messages: answered, continuation: 'prefix' };
  return { messages: [...answered, { role: 'user', content: CONTINUE_PROMPT }] };
}

/** A vendor with prefix continuation repeats nothing, so nothing is trimmed. */
export function stitcherFor({ continuation }: ContinuationPrompt, before: string): StreamStitcher {
  return continuation === 'prefix'
    ? { add: (text) => text, end: () => '' }
    : createOverlapTrimmer(before);
}

/** A continuation that only repeats the text so far counts as an empty response. */
export function repeatedNothingNew(
  call: ProviderCallResult,
  target: { provider: string; model: string },
): ProviderCallResult {
  const { answer } = call.outcome;
  const error = new CallError('empty_response', 'It only repeated what was there already.', target);
  return { ...call, outcome: { is: 'failed', answer, error } };
}
