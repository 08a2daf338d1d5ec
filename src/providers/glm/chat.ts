import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatRequest, TokenUsage } from '#core/llm/chat.ts';
import type { AsyncChat, AsyncChatResult, ProviderContext } from '#core/llm/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { ChatPlan, ChatStep, StepResult } from '../openai-compatible/chat-plan.ts';
import { enforceResponseFormat } from '../openai-compatible/follow-up/enforce-response-format.ts';
import { enforceToolChoice } from '../openai-compatible/follow-up/enforce-tool-choice.ts';
import { retryReasoningOnly } from '../openai-compatible/follow-up/retry-reasoning-only.ts';
import { withProviderName } from '../openai-compatible/http.ts';
import { checkRequest } from '../openai-compatible/request/check-request.ts';
import { resolveFinish } from '../openai-compatible/response/finish.ts';
import { asText, type Unknown } from '../openai-compatible/response/json.ts';
import {
  createResponseParser,
  type AssistantTurn,
} from '../openai-compatible/response/response-parser.ts';
import { pickModel, type ModelChoice, type PickedModel } from '../pick-model.ts';
import { callGlm, glmBadResponse, encodeGlmId, refuseInput, type Glm } from './call-glm.ts';
import { checkMedia } from './media.ts';
import { lessThinking, withinNamedLimit, writeGlmRequest } from './request.ts';
import type { Site } from './site.ts';

/** Checks a request and resolves its model. */
function checkGlmRequest(request: ChatRequest, choice: ModelChoice): PickedModel {
  const picked = pickModel(request.model, 'glm', choice);
  checkRequest(request, picked.model);
  checkMedia(request.messages);
  if (request.continuation === 'prefix') {
    const fix = 'Ask for the rest in words, or choose a model of Kimi.';
    throw refuse('continuation', 'GLM cannot continue a given beginning.', fix);
  }
  if (request.messages.every(({ role }) => role === 'system' || role === 'assistant')) {
    const fix = 'Add a message of the user.';
    throw refuse('messages', 'There is no message of the user to answer.', fix);
  }
  return picked;
}

/**
 * Plans one chat. Tool choices and schemas, which GLM does not enforce, are checked in the answer
 * and asked for again.
 */
export function planGlmChat(request: ChatRequest, choice: ModelChoice, site: Site): ChatPlan {
  const { model, notices } = checkGlmRequest(request, choice);
  const { toolChoice, responseFormat } = request;
  const about = { provider: 'glm', title: 'GLM', model: model.id } as const;
  const demand =
    toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none'
      ? undefined
      : enforceToolChoice(toolChoice, about);
  const answer = responseFormat && enforceResponseFormat(responseFormat, about);
  // JSON mode needs no instruction; a schema does, and so does a model without JSON mode.
  const isSaid = responseFormat?.type === 'json_schema' || model.json === 'none';
  const written = writeGlmRequest(request, model, site, [
    ...(demand ? [demand.instruction] : []),
    ...(answer && isSaid ? [answer.instruction] : []),
  ]);
  const held = demand || answer ? ({ hold: 'text' } as const) : {};

  function next(ended: StepResult): ChatStep | undefined {
    const again =
      withinNamedLimit(ended, model) ??
      retryReasoningOnly(ended, model, lessThinking(ended.body, model));
    if (again) return { ...again, ...held };
    return demand?.next(ended) ?? answer?.next(ended);
  }

  return {
    model: model.id,
    delivery: request.delivery,
    tools: written.tools,
    maxOutputTokens: request.maxOutputTokens,
    first: { body: written.body, notices: [...notices, ...written.notices], ...held },
    next,
    ...(answer && { repair: (ended: StepResult) => answer.repair(ended) }),
  };
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

/**
 * Submits an async chat. Tool choices and schemas are refused, because they are checked against the
 * request, which is no longer known when the answer is fetched.
 */
export async function submitAsync(
  glm: Glm,
  request: ChatRequest,
  choice: ModelChoice,
  context: ProviderContext,
): Promise<AsyncChat> {
  const { toolChoice, responseFormat } = request;
  if (toolChoice === 'required' || typeof toolChoice === 'object')
    throw refuseInput('toolChoice', 'A call left with GLM cannot be made to use a tool.', 'Chat.');
  if (responseFormat?.type === 'json_schema')
    throw refuseInput('responseFormat', 'A call left with GLM cannot keep to a schema.', 'Chat.');
  const { model, notices } = checkGlmRequest(request, choice);
  const written = writeGlmRequest({ ...request, delivery: 'whole' }, model, glm.site);
  const { stream: _, ...rest } = written.body;
  const answer = await callGlm(
    glm,
    {
      operation: 'async_chat',
      method: 'POST',
      path: '/async/chat/completions',
      body: rest,
      model: model.id,
    },
    context,
  );
  const id = asText(answer['id']);
  if (id === undefined) throw glmBadResponse('without the id of the task');
  glm.leftInputs.set(id, estimateTokens(JSON.stringify(rest)));
  return { id, notices: [...notices, ...written.notices] };
}

export async function pollAsync(
  glm: Glm,
  id: string,
  context: ProviderContext,
): Promise<AsyncChatResult> {
  const path = `/async-result/${encodeGlmId(id, 'id')}`;
  const answer = await callGlm(glm, { operation: 'async_chat', method: 'GET', path }, context);
  const status = answer['task_status'];
  if (status === 'PROCESSING') return { is: 'running' };
  if (status === 'SUCCESS') return { is: 'done', events: eventsOf(answer, id, glm) };
  if (status !== 'FAIL') throw glmBadResponse('without saying how the task stands');
  const message = 'GLM could not do what was left with it.';
  throw new CallError('provider_error', message, { provider: 'glm' });
}

function eventsOf(answer: Unknown, id: string, { options, leftInputs }: Glm): readonly ChatEvent[] {
  const reader = createResponseParser({ tools: [], ...options });
  const events: ChatEvent[] = [];
  reader.take(answer, events);
  reader.end(events);
  const turn = reader.turn();
  const end = resolveFinish(turn, options.title);
  if (end.is === 'failed') throw withProviderName(end.error, asText(answer['model']), options);
  if (end.notice) events.push({ type: 'notice', notice: end.notice });
  const usage = turn.usage ?? estimated(turn, leftInputs.get(id) ?? 0);
  events.push({ type: 'usage', usage });
  events.push({ type: 'finish', reason: end.reason });
  return events;
}

/**
 * Estimated usage of an answer without counts. The prompt is only known for chats that this process
 * submitted.
 */
function estimated({ text, reasoning, toolCalls }: AssistantTurn, input: number): TokenUsage {
  const calls = toolCalls.map((call) => `${call.name}${call.arguments}`).join('');
  const reasoningTokens = estimateTokens(reasoning);
  const output = estimateTokens(text + calls) + reasoningTokens;
  return { input, output, cached: 0, reasoning: reasoningTokens, estimated: true };
}
