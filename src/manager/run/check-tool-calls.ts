import { CallError } from '#core/errors/call-error.ts';
import { readArguments, repairArguments } from '#core/json/model-json.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import type { ToolCall } from '#core/llm/chat.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import type { PlannedModel } from '../route/plan.ts';
import { canClientMake } from './tool-call-filter.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunState } from './run-state.ts';

/**
 * Checks the tool calls of a complete answer. A call that the client cannot make fails the attempt:
 * the model is asked once more, then the next one. Arguments that are cut off fail the attempt. Arguments
 * with another mistake are asked for once more; after that they are passed as they are, because
 * agents show them to their model, which corrects them.
 */
export function checkToolCalls(
  call: ProviderCallResult,
  candidate: PlannedModel,
  state: RunState,
  request: AskRequest,
): ProviderCallResult {
  const { outcome } = call;
  if (outcome.is === 'answered' && !state.hasEmittedToolCalls) {
    const impossible = outcome.answer.toolCalls.find(({ name }) => !canClientMake(name, request));
    if (impossible) return impossibleCall(call, impossible, candidate, request);
  }
  // A call that reached the token limit ends the answer as `length`.
  if (outcome.is === 'failed' || outcome.finish === 'length') return call;
  const { answer, finish } = outcome;
  const unreadable = answer.toolCalls.find(
    ({ arguments: text }) => repairArguments(text) === undefined,
  );
  if (!unreadable) return call;
  const isCutOff = answer.toolCalls.some(isCut);
  // A loop answers such a call by an error, which costs less than other models.
  const isRefused = isCutOff && request.toolCallErrors !== 'pass';
  const isEmitted = request.toolCallDelivery === 'stream' && state.hasEmittedToolCalls;
  if (!isRefused && (isEmitted || state.unreadableAnswer)) return call;
  if (!isRefused) {
    const text = state.emittedText === '' ? answer.text : state.emittedText;
    state.unreadableAnswer = { do: 'answer', candidate, answer, finish, text };
  }
  const { provider, model } = candidate;
  const does = isCutOff ? 'are cut off' : 'are not a JSON object';
  const message = `The arguments of its call of ${unreadable.name.slice(0, 64)} ${does}.`;
  const error = new CallError('bad_response', message, {
    provider,
    model,
    fixes: [fix('use_other_model')],
    // A caller can provoke a mistake by its prompt; only a vendor cuts an answer.
    ...(!isCutOff && { dueTo: 'request' }),
  });
  return { ...call, outcome: { is: 'failed', answer, error } };
}

function impossibleCall(
  call: ProviderCallResult,
  { name }: ToolCall,
  { provider, model }: PlannedModel,
  { tools = [], toolChoice }: AskRequest,
): ProviderCallResult {
  const why =
    toolChoice === 'none'
      ? 'tool_choice is none'
      : tools.length === 0
        ? 'the request has no tools'
        : 'the request has no such tool';
  const error = new CallError('bad_response', `It called ${oneLine(name, 64)}, but ${why}.`, {
    provider,
    model,
    fixes: [fix('use_other_model')],
    dueTo: 'request',
  });
  return { ...call, outcome: { is: 'failed', answer: call.outcome.answer, error } };
}

function isCut({ arguments: text }: ToolCall): boolean {
  const read = readArguments(text);
  return read.is === 'unreadable' && read.code === 'cut_off' && repairArguments(text) === undefined;
}
