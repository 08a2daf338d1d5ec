import type { FinishReason } from '#core/chat.ts';

/** What a vendor's word for the end of an answer means. */
export type Ending =
  | { readonly is: 'finished'; readonly reason: FinishReason }
  | { readonly is: 'filtered' }
  | { readonly is: 'failed' }
  | { readonly is: 'window_full' }
  | { readonly is: 'unknown'; readonly word: string };

const WORDS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ...['stop', 'end_turn', 'eos', 'completed', 'stop_sequence'].map((word): [string, Ending] => [
    word,
    { is: 'finished', reason: 'stop' },
  ]),
  ...['length', 'max_tokens', 'max_output_tokens'].map((word): [string, Ending] => [
    word,
    { is: 'finished', reason: 'length' },
  ]),
  ...['tool_calls', 'function_call', 'tool_use'].map((word): [string, Ending] => [
    word,
    { is: 'finished', reason: 'tool_calls' },
  ]),
  ...['content_filter', 'sensitive', 'safety', 'refusal'].map((word): [string, Ending] => [
    word,
    { is: 'filtered' },
  ]),
  ...['error', 'network_error'].map((word): [string, Ending] => [word, { is: 'failed' }]),
  ['model_context_window_exceeded', { is: 'window_full' }],
]);

export function readFinish(word: string): Ending {
  return WORDS.get(word.toLowerCase()) ?? { is: 'unknown', word };
}
