import type { FinishReason } from '#core/chat.ts';
import type { CallStyle } from './read-tools.ts';

/** Why an answer ended, in the words of clients that speak of calls in this style. */
export function finishReason(
  finish: FinishReason,
  style: CallStyle,
): FinishReason | 'function_call' {
  return finish === 'tool_calls' && style === 'functions' ? 'function_call' : finish;
}
