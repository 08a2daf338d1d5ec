import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest, TokenUsage } from '#core/chat.ts';
import type { AsyncAnswer, LeftCall, ProviderContext } from '#core/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { ModelChoice } from '../pick-model.ts';
import { createAnswerReader, type Turn } from '../wire/answer-reader.ts';
import { judgeEnd } from '../wire/end-of-answer.ts';
import { asText, type Unknown } from '../wire/json-read.ts';
import { named } from '../wire/send.ts';
import { askGlm, idInPath, refuseInput, unusable, type Glm } from './ask-glm.ts';
import { checkGlmRequest } from './plan-chat.ts';
import { writeRequest } from './write-request.ts';

/** What has to be checked in the answer cannot be left alone: whoever fetches it knows nothing of the request any more. */
export async function chatLater(
  glm: Glm,
  request: ChatRequest,
  choice: ModelChoice,
  context: ProviderContext,
): Promise<LeftCall> {
  const { toolChoice, responseFormat } = request;
  if (toolChoice === 'required' || typeof toolChoice === 'object')
    throw refuseInput('toolChoice', 'A call left with GLM cannot be made to use a tool.', 'Chat.');
  if (responseFormat?.type === 'json_schema')
    throw refuseInput('responseFormat', 'A call left with GLM cannot keep to a schema.', 'Chat.');
  const { model, notices } = checkGlmRequest(request, choice);
  const written = writeRequest({ ...request, delivery: 'whole' }, model, glm.site);
  const { stream: _, ...rest } = written.body;
  const answer = await askGlm(
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
  if (id === undefined) throw unusable('without the id of the task');
  glm.leftInputs.set(id, estimateTokens(JSON.stringify(rest)));
  return { id, notices: [...notices, ...written.notices] };
}

export async function asyncAnswer(
  glm: Glm,
  id: string,
  context: ProviderContext,
): Promise<AsyncAnswer> {
  const path = `/async-result/${idInPath(id, 'id')}`;
  const answer = await askGlm(glm, { operation: 'async_chat', method: 'GET', path }, context);
  const status = answer['task_status'];
  if (status === 'PROCESSING') return { is: 'running' };
  if (status === 'SUCCESS') return { is: 'done', events: eventsOf(answer, id, glm) };
  if (status !== 'FAIL') throw unusable('without saying how the task stands');
  const message = 'GLM could not do what was left with it.';
  throw new CallError('provider_error', message, { provider: 'glm' });
}

function eventsOf(answer: Unknown, id: string, { options, leftInputs }: Glm): readonly ChatEvent[] {
  const reader = createAnswerReader({ tools: [], ...options });
  const events: ChatEvent[] = [];
  reader.take(answer, events);
  reader.end(events);
  const turn = reader.turn();
  const end = judgeEnd(turn, options.title);
  if (end.is === 'failed') throw named(end.error, asText(answer['model']), options);
  if (end.notice) events.push({ type: 'notice', notice: end.notice });
  const usage = turn.usage ?? estimated(turn, leftInputs.get(id) ?? 0);
  events.push({ type: 'usage', usage });
  events.push({ type: 'finish', reason: end.reason });
  return events;
}

/** For an answer without counts. What the prompt had is known of calls of this process alone. */
function estimated({ text, reasoning, toolCalls }: Turn, input: number): TokenUsage {
  const calls = toolCalls.map((call) => `${call.name}${call.arguments}`).join('');
  const thought = estimateTokens(reasoning);
  const output = estimateTokens(text + calls) + thought;
  return { input, output, cached: 0, reasoning: thought, estimated: true };
}
