import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import type { AsyncAnswer, ProviderContext } from '#core/provider.ts';
import type { Catalogue } from '#models/model.ts';
import { createAnswerReader } from '../wire/answer-reader.ts';
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
  catalogue: Catalogue,
  context: ProviderContext,
): Promise<string> {
  const { toolChoice, responseFormat } = request;
  if (toolChoice === 'required' || typeof toolChoice === 'object')
    throw refuseInput('toolChoice', 'A call left with GLM cannot be made to use a tool.', 'Chat.');
  if (responseFormat?.type === 'json_schema')
    throw refuseInput('responseFormat', 'A call left with GLM cannot keep to a schema.', 'Chat.');
  const { model } = checkGlmRequest(request, catalogue);
  const { body } = writeRequest({ ...request, delivery: 'whole' }, model, glm.site);
  const { stream: _, ...rest } = body;
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
  return id;
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
  if (status === 'SUCCESS') return { is: 'done', events: eventsOf(answer, glm) };
  if (status !== 'FAIL') throw unusable('without saying how the task stands');
  const message = 'GLM could not do what was left with it.';
  throw new CallError('provider_error', message, { provider: 'glm' });
}

function eventsOf(answer: Unknown, { options }: Glm): readonly ChatEvent[] {
  const reader = createAnswerReader({ tools: [], ...options });
  const events: ChatEvent[] = [];
  reader.take(answer, events);
  reader.end(events);
  const turn = reader.turn();
  const end = judgeEnd(turn, options.title);
  if (end.is === 'failed') throw named(end.error, asText(answer['model']), options);
  if (end.notice !== undefined) events.push({ type: 'notice', text: end.notice });
  if (turn.usage) events.push({ type: 'usage', usage: turn.usage });
  events.push({ type: 'finish', reason: end.reason });
  return events;
}
