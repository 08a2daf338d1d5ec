import type { ChatRequest } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { createFollowUps } from '../wire/follow-up.ts';
import type { Lessons } from '../wire/lessons.ts';
import type { VendorError } from '../wire/read-error.ts';
import type { ChatPlan } from '../wire/round.ts';
import type { Flavour } from './flavours.ts';
import { writeRequest } from './write-request.ts';

/** A model of a server, and what is known of both. */
export interface Aim {
  readonly model: Model;
  readonly flavour: Flavour;
  readonly lessons: Lessons;
}

export interface CustomPlan {
  readonly plan: ChatPlan;
  /** To be told what the server refuses with. */
  readonly refusedWith: (error: VendorError) => void;
}

/** The exchanges of one chat, for a checked request whose pictures are inside it. */
export function planChat(
  request: ChatRequest,
  { model, flavour, lessons }: Aim,
  before: readonly Notice[],
): CustomPlan {
  let refusal: VendorError | undefined;
  const follow = createFollowUps(request, {
    about: { provider: 'custom', title: flavour.title, model: model.id },
    model,
    lessons,
    refusal: () => refusal,
    relief: (body) => ({
      limitField: 'max_completion_tokens' in body ? 'max_completion_tokens' : 'max_tokens',
      less: lessThinking(body, flavour),
    }),
  });
  const { body, notices, tools } = writeRequest(request, model, flavour, {
    demand: follow.demand?.instruction,
    format: follow.answer?.instruction,
  });
  return {
    plan: {
      model: model.id,
      delivery: request.delivery,
      tools,
      first: follow.first(body, [...before, ...notices]),
      next: follow.next,
      ...(follow.mend && { mend: follow.mend }),
    },
    refusedWith: (error) => (refusal = error),
  };
}

function lessThinking(body: JsonObject, { thinkingOff }: Flavour): JsonObject | undefined {
  if (!thinkingOff || Object.keys(thinkingOff).some((field) => field in body)) return undefined;
  return thinkingOff;
}
