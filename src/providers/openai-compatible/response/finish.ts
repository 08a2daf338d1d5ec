import { CallError } from '#core/errors/call-error.ts';
import { areCutOff, repairArguments } from '#core/json/model-json.ts';
import type { FinishReason, ToolCall } from '#core/llm/chat.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { AssistantTurn } from './response-parser.ts';

/** The meaning of a vendor's finish reason. */
type FinishMeaning =
  | { readonly is: 'finished'; readonly reason: FinishReason }
  | { readonly is: 'filtered' }
  | { readonly is: 'failed' }
  | { readonly is: 'window_full' }
  | { readonly is: 'unknown'; readonly word: string };

const FINISH_REASONS: ReadonlyMap<string, FinishMeaning> = new Map<string, FinishMeaning>([
  ...['stop', 'end_turn', 'eos', 'completed', 'stop_sequence'].map(
    (word): [string, FinishMeaning] => [word, { is: 'finished', reason: 'stop' }],
  ),
  ...['length', 'max_tokens', 'max_output_tokens'].map((word): [string, FinishMeaning] => [
    word,
    { is: 'finished', reason: 'length' },
  ]),
  ...['tool_calls', 'function_call', 'tool_use'].map((word): [string, FinishMeaning] => [
    word,
    { is: 'finished', reason: 'tool_calls' },
  ]),
  ...['content_filter', 'sensitive', 'safety', 'refusal'].map((word): [string, FinishMeaning] => [
    word,
    { is: 'filtered' },
  ]),
  ...['error', 'network_error'].map((word): [string, FinishMeaning] => [word, { is: 'failed' }]),
  ['model_context_window_exceeded', { is: 'window_full' }],
]);

function mapFinishReason(word: string): FinishMeaning {
  return FINISH_REASONS.get(word.toLowerCase()) ?? { is: 'unknown', word };
}

/** What arrived of a response, beside the answer in it. */
export interface ReceivedResponse {
  /** Whether a JSON object arrived. */
  readonly hasBegun: boolean;
  /** Whether a choice arrived, empty or not. */
  readonly hasChoice: boolean;
  /** Whether the vendor ended it. */
  readonly isComplete: boolean;
}

const CUT_OFF: ReceivedResponse = { hasBegun: false, hasChoice: false, isComplete: false };

/** How an answer ended. */
export type AnswerEnd =
  | { readonly is: 'whole'; readonly reason: FinishReason; readonly notice?: Notice }
  | { readonly is: 'failed'; readonly error: CallError };

/**
 * Decides how an answer ended, by its content. An answer without an end, without content or with
 * reasoning only has failed, unless it reached the limit of its request.
 */
export function resolveFinish(
  turn: AssistantTurn,
  title: string,
  received: ReceivedResponse = CUT_OFF,
  maxOutputTokens?: number,
): AnswerEnd {
  const { text, toolCalls, builtinCalls, finish } = turn;
  const about = { model: title };
  const hasText = text.trim() !== '';
  const hasCalls = toolCalls.length + builtinCalls.length > 0;
  if (finish === undefined)
    return { is: 'failed', error: missingFinish(hasText || hasCalls, received, title) };
  const meaning = mapFinishReason(finish);
  switch (meaning.is) {
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
    if (meaning.is === 'finished' && meaning.reason === 'length') {
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
    const unreadable = toolCalls.find((call) => repairArguments(call.arguments) === undefined);
    const tool = unreadable?.name.slice(0, 64);
    return {
      is: 'whole',
      reason: 'tool_calls',
      ...(tool !== undefined && { notice: notice('tool_arguments_invalid', { ...about, tool }) }),
    };
  }
  if (!hasText) {
    if (maxOutputTokens === undefined || !hasReachedLimit(turn))
      return { is: 'failed', error: emptyAnswer(turn, title) };
    const spent = notice('limit_spent_on_thinking', { ...about, limit: maxOutputTokens });
    return { is: 'whole', reason: 'length', ...(isReasoningOnly(turn) && { notice: spent }) };
  }
  if (meaning.is === 'unknown') {
    const reason = meaning.word.slice(0, 40);
    return {
      is: 'whole',
      reason: 'stop',
      notice: notice('finish_reason_unknown', { ...about, reason }),
    };
  }
  // The finish reason announces calls and there are none, but there is text.
  return { is: 'whole', reason: meaning.reason === 'tool_calls' ? 'stop' : meaning.reason };
}

/** Whether the model wrote until its limit, though no text. */
function hasReachedLimit({ finish = '', reasoning, usage }: AssistantTurn): boolean {
  const meaning = mapFinishReason(finish);
  const isLength = meaning.is === 'finished' && meaning.reason === 'length';
  return isLength && (reasoning !== '' || (usage?.output ?? 0) > 0);
}

/** The call in which the token limit was reached; its arguments may be empty. */
function unfinishedCall(calls: readonly ToolCall[]): ToolCall | undefined {
  const last = calls.at(-1);
  return (
    calls.find(({ arguments: text }) => areCutOff(text)) ??
    (last?.arguments.trim() === '' ? last : undefined)
  );
}

/** Whether the answer is reasoning only: a higher limit or less thinking may help. */
export function isReasoningOnly({
  text,
  toolCalls,
  builtinCalls,
  finish,
  reasoning,
  usage,
}: AssistantTurn): boolean {
  return (
    finish !== undefined &&
    text.trim() === '' &&
    toolCalls.length + builtinCalls.length === 0 &&
    (reasoning !== '' || (usage?.reasoning ?? 0) > 0) &&
    mapFinishReason(finish).is === 'finished'
  );
}

function emptyAnswer(turn: AssistantTurn, title: string): CallError {
  if (!isReasoningOnly(turn))
    return new CallError('empty_response', `${title} answered with nothing at all.`);
  const message =
    turn.finish === 'length'
      ? `${title} spent its whole output budget on thinking and never answered.`
      : `${title} thought and then answered nothing.`;
  return new CallError('empty_response', message, {
    fixes: [
      fix('raise_argument', { argument: 'max_output_tokens' }),
      fix('set_argument', { argument: 'thinking_mode', value: 'minimal' }),
    ],
    ...(turn.finish === 'length' && { dueTo: 'request' }),
  });
}

function missingFinish(
  hasContent: boolean,
  { hasBegun, hasChoice, isComplete }: ReceivedResponse,
  title: string,
): CallError {
  if (hasContent)
    return new CallError('interrupted', `${title} stopped in the middle of its answer.`);
  if ((hasBegun || isComplete) && !hasChoice)
    return new CallError('bad_response', `${title} sent a response without choices.`);
  return isComplete
    ? new CallError('empty_response', `${title} answered with nothing at all.`)
    : new CallError('network', `${title} closed the connection before it answered.`);
}

const SHORTEN = [fix('send_less'), fix('use_other_model'), fix('list_models')];

function fail(
  errorClass: 'content_filter' | 'provider_error' | 'context_length',
  message: string,
): AnswerEnd {
  const facts = errorClass === 'context_length' ? { fixes: SHORTEN } : {};
  return { is: 'failed', error: new CallError(errorClass, message, facts) };
}
