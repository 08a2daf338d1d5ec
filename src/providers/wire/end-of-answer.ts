import { CallError } from '#core/call-error.ts';
import type { FinishReason, ToolCall } from '#core/chat.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { areCutOff, readArguments } from '#core/model-json.ts';
import type { Turn } from './answer-reader.ts';
import { readFinish } from './finish.ts';

/** How an answer ended, once nothing more will come. */
export type End =
  | { readonly is: 'whole'; readonly reason: FinishReason; readonly notice?: Notice }
  | { readonly is: 'failed'; readonly error: CallError };

/** Judges an answer by what it holds. One that has no end, no content or only thoughts is never a success. */
export function judgeEnd(turn: Turn, title: string): End {
  const { text, toolCalls, builtinCalls, finish } = turn;
  const about = { model: title };
  const hasText = text.trim() !== '';
  const hasCalls = toolCalls.length + builtinCalls.length > 0;
  if (finish === undefined) return { is: 'failed', error: noEnd(hasText || hasCalls, title) };
  const ending = readFinish(finish);
  switch (ending.is) {
    case 'filtered':
      return fail('content_filter', `${title} withheld its answer (${finish}).`);
    case 'failed':
      return fail('provider_error', `${title} gave up in the middle of its answer (${finish}).`);
    case 'window_full':
      return hasText || hasCalls
        ? { is: 'whole', reason: 'length', notice: notice('window_full', about) }
        : fail('context_length', `The request leaves ${title} no room for an answer.`);
    case 'finished':
    case 'unknown':
      break;
  }
  if (hasCalls) {
    if (ending.is === 'finished' && ending.reason === 'length') {
      const cut = unfinishedCall(toolCalls);
      if (cut) {
        const tool = cut.name.slice(0, 64);
        return {
          is: 'whole',
          reason: 'length',
          notice: notice('tool_call_cut', { ...about, tool }),
        };
      }
    }
    const unreadable = toolCalls.find((call) => readArguments(call.arguments).is === 'unreadable');
    const tool = unreadable?.name.slice(0, 64);
    return {
      is: 'whole',
      reason: 'tool_calls',
      ...(tool !== undefined && { notice: notice('tool_arguments_invalid', { ...about, tool }) }),
    };
  }
  if (!hasText) return { is: 'failed', error: emptyAnswer(turn, title) };
  if (ending.is === 'unknown') {
    const reason = ending.word.slice(0, 40);
    return {
      is: 'whole',
      reason: 'stop',
      notice: notice('finish_reason_unknown', { ...about, reason }),
    };
  }
  // Calls were announced and none came, but there is an answer.
  return { is: 'whole', reason: ending.reason === 'tool_calls' ? 'stop' : ending.reason };
}

/** The call in which the limit was reached. Of the last one the arguments may not even have begun. */
function unfinishedCall(calls: readonly ToolCall[]): ToolCall | undefined {
  const last = calls.at(-1);
  return (
    calls.find(({ arguments: text }) => areCutOff(text)) ??
    (last?.arguments.trim() === '' ? last : undefined)
  );
}

/** Whether the model spent everything it was allowed on thinking: more room, or less thought, may help. */
export function isThoughtOnly({
  text,
  toolCalls,
  builtinCalls,
  finish,
  reasoning,
  usage,
}: Turn): boolean {
  return (
    finish !== undefined &&
    text.trim() === '' &&
    toolCalls.length + builtinCalls.length === 0 &&
    (reasoning !== '' || (usage?.reasoning ?? 0) > 0) &&
    readFinish(finish).is === 'finished'
  );
}

function emptyAnswer(turn: Turn, title: string): CallError {
  if (!isThoughtOnly(turn))
    return new CallError('empty_response', `${title} answered with nothing at all.`);
  const why =
    turn.finish === 'length'
      ? `${title} spent its whole output budget on thinking and never answered.`
      : `${title} thought and then answered nothing.`;
  return new CallError('empty_response', why, {
    fixes: [
      fix('raise_argument', { argument: 'max_output_tokens' }),
      fix('set_argument', { argument: 'thinking_mode', value: 'minimal' }),
    ],
    ...(turn.finish === 'length' && { dueTo: 'request' }),
  });
}

function noEnd(hasContent: boolean, title: string): CallError {
  return hasContent
    ? new CallError('interrupted', `${title} stopped in the middle of its answer.`)
    : new CallError('network', `${title} closed the connection before it answered.`);
}

const SHORTEN = [fix('send_less'), fix('use_other_model'), fix('list_models')];

function fail(
  errorClass: 'content_filter' | 'provider_error' | 'context_length',
  message: string,
): End {
  const facts = errorClass === 'context_length' ? { fixes: SHORTEN } : {};
  return { is: 'failed', error: new CallError(errorClass, message, facts) };
}
