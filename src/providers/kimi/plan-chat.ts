import type { ChatRequest } from '#core/chat.ts';
import type { Json, JsonObject } from '#core/json.ts';
import type { Model } from '#models/model.ts';
import type { ChatPlan } from '../wire/round.ts';
import { afterThoughtsAlone } from '../wire/second-chance.ts';
import { keptPromise } from './kept-promise.ts';
import { afterRefusedMember } from './refused-member.ts';
import { createSearchRounds } from './search.ts';
import type { WrittenRequest } from './write-request.ts';

/**
 * The first question, and when there is another: a member refused, thoughts without an answer, a search to be handed back, an answer that
 * is not what was asked for.
 */
export function planChat(
  request: ChatRequest,
  model: Model,
  { body, headers, notices, thinking, tools, search, demand }: WrittenRequest,
  before: readonly string[],
): ChatPlan {
  const searches = createSearchRounds(
    search === 'on' ? request.webSearch : undefined,
    model,
    thinking.mode,
  );
  const relief = { limitField: 'max_completion_tokens', less: thinking.less } as const;
  const { hold, instruction, mend, next } = keptPromise(request, demand, model);
  const every = { headers, ...(hold && { hold }) };
  return {
    model: model.id,
    delivery: request.delivery,
    tools,
    first: { ...every, body: instructed(body, instruction), notices: [...before, ...notices] },
    next(ended) {
      const round =
        afterRefusedMember(ended) ??
        afterThoughtsAlone(ended, model, relief) ??
        searches.next(ended) ??
        next(ended);
      return round && { ...round, ...every };
    },
    ...(mend && { mend }),
  };
}

function instructed(body: JsonObject, instruction: string | undefined): JsonObject {
  if (instruction === undefined || !Array.isArray(body['messages'])) return body;
  const messages = body['messages'] as readonly Json[];
  return { ...body, messages: [...messages, { role: 'system', content: instruction }] };
}
