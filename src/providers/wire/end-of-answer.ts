import { CallError } from '#core/call-error.ts';
import type { FinishReason, ToolCall } from '#core/chat.ts';
import { areCutOff, readArguments } from '#core/tool-arguments.ts';
import type { Turn } from './answer-reader.ts';
import { readFinish } from './finish.ts';

/** How an answer ended, once nothing more will come. */
export type End =
  | { readonly is: 'whole'; readonly reason: FinishReason; readonly notice?: string }
  | { readonly is: 'failed'; readonly error: CallError };

/** Judges an answer by what it holds. One that has no end, no content or only thoughts is never a success. */
export function judgeEnd(turn: Turn, title: string): End {
  const { text, toolCalls, builtinCalls, finish } = turn;
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
        ? { is: 'whole', reason: 'length', notice: `${title} stopped because its window was full.` }
        : fail('context_length', `The request leaves ${title} no room for an answer.`);
    case 'finished':
    case 'unknown':
      break;
  }
  if (hasCalls) {
    if (ending.is === 'finished' && ending.reason === 'length') {
      const cut = unfinishedCall(toolCalls);
      const name = cut?.name.slice(0, 64);
      const notice = `${title} reached its limit of tokens before it had written its call of ${name}.`;
      if (cut) return { is: 'whole', reason: 'length', notice };
    }
    const unreadable = toolCalls.find((call) => readArguments(call.arguments).is === 'unreadable');
    const notice = `${title} wrote arguments for ${unreadable?.name.slice(0, 64)} that are no JSON object.`;
    return { is: 'whole', reason: 'tool_calls', ...(unreadable && { notice }) };
  }
  if (!hasText) return { is: 'failed', error: emptyAnswer(turn, title) };
  if (ending.is === 'unknown') {
    const notice = `${title} ended its answer with the unknown reason "${ending.word.slice(0, 40)}".`;
    return { is: 'whole', reason: 'stop', notice };
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
    fix: 'Allow more output tokens, or ask with thinking off.',
    ...(turn.finish === 'length' && { dueTo: 'request' }),
  });
}

function noEnd(hasContent: boolean, title: string): CallError {
  return hasContent
    ? new CallError('interrupted', `${title} stopped in the middle of its answer.`)
    : new CallError('network', `${title} closed the connection before it answered.`);
}

const SHORTEN = 'Shorten the prompt, or choose a model with a larger window: exai models.';

function fail(
  errorClass: 'content_filter' | 'provider_error' | 'context_length',
  message: string,
): End {
  const facts = errorClass === 'context_length' ? { fix: SHORTEN } : {};
  return { is: 'failed', error: new CallError(errorClass, message, facts) };
}
