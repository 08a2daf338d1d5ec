import { CallError } from '#core/call-error.ts';
import type { ChatRequest } from '#core/chat.ts';
import { pickModel, type ModelChoice, type PickedModel } from '../pick-model.ts';
import { checkRequest } from '../wire/check-request.ts';
import { createDemandedCall } from '../wire/demanded-call.ts';
import type { ChatPlan, Ended, Round } from '../wire/round.ts';
import { createSchemaAnswer } from '../wire/schema-answer.ts';
import { afterThoughtsAlone } from '../wire/second-chance.ts';
import { withinNamedLimit } from './limit.ts';
import { checkMedia } from './media.ts';
import type { Site } from './site.ts';
import { lessThinking } from './thinking.ts';
import { writeRequest } from './write-request.ts';

/** The model of a request, once nothing stands against asking it. */
export function checkGlmRequest(request: ChatRequest, choice: ModelChoice): PickedModel {
  const picked = pickModel(request.model, 'glm', choice);
  checkRequest(request, picked.model);
  checkMedia(request.messages);
  if (request.continuation === 'prefix') {
    const fix = 'Ask for the rest in words, or choose a model of Kimi.';
    throw refuse('continuation', 'GLM cannot go on from a given beginning.', fix);
  }
  if (request.messages.every(({ role }) => role === 'system' || role === 'assistant')) {
    const fix = 'Add a message of the user.';
    throw refuse('messages', 'There is no message of the user to answer.', fix);
  }
  return picked;
}

/** The exchanges of one chat: what GLM does not enforce is checked in its answer and asked for again. */
export function planChat(request: ChatRequest, choice: ModelChoice, site: Site): ChatPlan {
  const { model, notices } = checkGlmRequest(request, choice);
  const { toolChoice, responseFormat } = request;
  const about = { provider: 'glm', title: 'GLM', model: model.id } as const;
  const demand =
    toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none'
      ? undefined
      : createDemandedCall(toolChoice, about);
  const answer = responseFormat && createSchemaAnswer(responseFormat, about);
  // JSON mode needs no words; a schema does, and so does a model without JSON mode.
  const isSaid = responseFormat?.type === 'json_schema' || model.json === 'none';
  const written = writeRequest(request, model, site, [
    ...(demand ? [demand.instruction] : []),
    ...(answer && isSaid ? [answer.instruction] : []),
  ]);
  const held = demand || answer ? ({ hold: 'text' } as const) : {};

  function next(ended: Ended): Round | undefined {
    const less = lessThinking(ended.body, model);
    const again =
      withinNamedLimit(ended, model) ??
      afterThoughtsAlone(ended, model, { limitField: 'max_tokens', less });
    if (again) return { ...again, ...held };
    return demand?.next(ended) ?? answer?.next(ended);
  }

  return {
    model: model.id,
    delivery: request.delivery,
    tools: written.tools,
    first: { body: written.body, notices: [...notices, ...written.notices], ...held },
    next,
    ...(answer && { mend: (ended: Ended) => answer.mend(ended) }),
  };
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}
