import type { ChatRequest } from '#core/chat.ts';
import type { Json, JsonObject } from '#core/json.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import type { ChatPlan, Ended, Round } from '../wire/round.ts';
import { afterThoughtsAlone } from '../wire/second-chance.ts';
import { keptPromise } from './kept-promise.ts';
import { afterRefusedMember } from './refused-member.ts';
import { createSearchRounds, type SearchRounds } from './search.ts';
import type { KimiRequest } from './write-request.ts';

/**
 * The first question, and when there is another: a member refused, thoughts without an answer, a search to be handed back, an answer that
 * is not what was asked for.
 */
export function planChat(
  request: ChatRequest,
  model: Model,
  { body, notices, thinking, tools, search, demand }: KimiRequest,
  before: readonly Notice[],
): ChatPlan {
  const promise =
    request.responseFormat || demand ? keptPromise(request, demand, model) : undefined;
  const hold = promise?.hold;
  let searches: SearchRounds | undefined;

  function next(ended: Ended): Round | undefined {
    searches ??= createSearchRounds(
      search === 'on' ? request.webSearch : undefined,
      model,
      thinking.mode,
    );
    const relief = { limitField: 'max_completion_tokens', less: thinking.less } as const;
    const round =
      afterRefusedMember(ended) ??
      afterThoughtsAlone(ended, model, relief) ??
      searches.next(ended) ??
      promise?.next(ended);
    return round && { ...round, ...(hold && { hold }) };
  }

  const asked = instructed(body, promise?.instruction);
  const told = before.length === 0 ? notices : [...before, ...notices];
  const first: Round = { body: asked, notices: told, ...(hold && { hold }) };
  const plan: ChatPlan = { model: model.id, delivery: request.delivery, tools, first, next };
  return promise?.mend ? { ...plan, mend: promise.mend } : plan;
}

function instructed(body: JsonObject, instruction: string | undefined): JsonObject {
  if (instruction === undefined || !Array.isArray(body['messages'])) return body;
  const messages = body['messages'] as readonly Json[];
  return { ...body, messages: [...messages, { role: 'system', content: instruction }] };
}
