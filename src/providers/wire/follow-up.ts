import type { ChatRequest } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import { createDemandedCall, type DemandedCall } from './demanded-call.ts';
import type { VendorError } from './read-error.ts';
import type { ChatPlan, Ended, Round } from './round.ts';
import { createSchemaAnswer, type AnswerOf, type SchemaAnswer } from './schema-answer.ts';
import { afterThoughtsAlone, type ThoughtRelief } from './second-chance.ts';
import type { Lessons } from './lessons.ts';
import {
  applyLesson,
  isTechnical,
  lessonNotice,
  refusedOf,
  valueNotice,
  withoutValue,
} from './refused-field.ts';

export interface FollowUpOptions {
  readonly about: AnswerOf;
  readonly model: Model;
  readonly lessons: Lessons;
  readonly relief: (body: JsonObject) => ThoughtRelief;
  /** What the server last refused with. */
  readonly refusal: () => VendorError | undefined;
}

/** What follows an exchange with a server of which little is known. */
export interface FollowUps {
  readonly demand: DemandedCall | undefined;
  readonly answer: SchemaAnswer | undefined;
  /** The first round, with what was learned before left out of it. */
  first(body: JsonObject, notices: readonly Notice[]): Round;
  readonly next: NonNullable<ChatPlan['next']>;
  readonly mend: ChatPlan['mend'];
}

const MAX_REFUSALS = 4;

/**
 * A field that is refused by name is left out or swapped, and the question asked again; whether a demanded tool call or JSON really
 * came is looked at, because servers take such wishes and forget them; and thoughts without an answer get a second chance.
 */
export function createFollowUps(request: ChatRequest, options: FollowUpOptions): FollowUps {
  const { about, model, lessons, relief, refusal } = options;
  const { toolChoice, responseFormat } = request;
  const demand =
    toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none'
      ? undefined
      : createDemandedCall(toolChoice, about);
  const answer = responseFormat && createSchemaAnswer(responseFormat, about);
  const held = demand || answer ? ({ hold: 'text' } as const) : {};
  const context = () => ({
    known: lessons.of(model.id),
    formatInstruction: answer?.instruction,
  });
  let refusals = 0;

  function learnWindow(tokens: number): void {
    const { messages, tools, maxOutputTokens = 0 } = request;
    const askedTokens = estimateChat(messages, tools) + maxOutputTokens;
    lessons.learnWindow(model.id, { tokens, knownTokens: model.contextTokens, askedTokens });
  }

  function afterRefusal({ body, end, hasContent }: Ended): Round | undefined {
    if (end.is !== 'failed' || hasContent || refusals >= MAX_REFUSALS) return undefined;
    const { contextTokens, class: errorClass } = end.error;
    if (contextTokens !== undefined) learnWindow(contextTokens);
    const said = errorClass === 'bad_request' ? refusal() : undefined;
    const refused = said && refusedOf(said, body);
    if (!refused) return undefined;
    refusals += 1;
    const { lesson } = refused;
    if (refused.is === 'bad_value') {
      const notices = [valueNotice(lesson, about.title)];
      return { body: withoutValue(body, lesson, context()), notices, ...held };
    }
    lessons.learn(model.id, lesson);
    const notices = [lessonNotice(lesson, about.title, 'now')];
    return { body: applyLesson(body, lesson, context()), notices, ...held };
  }

  return {
    demand,
    answer,
    first(body, notices) {
      let adapted = body;
      const told = [...notices];
      for (const lesson of lessons.of(model.id)) {
        const before = adapted;
        adapted = applyLesson(adapted, lesson, context());
        if (adapted !== before && !isTechnical(lesson))
          told.push(lessonNotice(lesson, about.title, 'later'));
      }
      return { body: adapted, notices: told, ...held };
    },
    next(ended) {
      const again = afterRefusal(ended);
      if (again) return again;
      const relieved = afterThoughtsAlone(ended, model, relief(ended.body));
      if (relieved) return { ...relieved, ...held };
      return demand?.next(ended) ?? answer?.next(ended);
    },
    mend: answer && ((ended) => answer.mend(ended)),
  };
}
