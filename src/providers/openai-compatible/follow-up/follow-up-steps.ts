import type { ChatRequest } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import { enforceToolChoice, type ToolChoiceEnforcer } from './enforce-tool-choice.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import type { ChatPlan, StepResult, ChatStep } from '../chat-plan.ts';
import {
  enforceResponseFormat,
  type AnsweringModel,
  type ResponseFormatEnforcer,
} from './enforce-response-format.ts';
import { retryReasoningOnly } from './retry-reasoning-only.ts';
import {
  applyQuirk,
  isInvisibleToCaller,
  quirkNotice,
  refusedFieldOf,
  refusedValueNotice,
  withoutRefusedValue,
  type LearnedQuirks,
} from './learned-quirks.ts';

export interface FollowUpStepOptions {
  readonly about: AnsweringModel;
  readonly model: Model;
  readonly quirks: LearnedQuirks;
  /** Fields that turn thinking off or down; nothing when the model cannot. */
  readonly lessThinking: (body: JsonObject) => JsonObject | undefined;
  /** The last error of the server. */
  readonly refusal: () => VendorError | undefined;
}

/** The steps that follow a request to a server with unknown quirks. */
export interface FollowUpSteps {
  readonly toolChoiceEnforcer: ToolChoiceEnforcer | undefined;
  readonly formatEnforcer: ResponseFormatEnforcer | undefined;
  /** The first step, adapted to the learned quirks. */
  first(body: JsonObject, notices: readonly Notice[]): ChatStep;
  readonly next: NonNullable<ChatPlan['next']>;
  readonly repair: ChatPlan['repair'];
}

const MAX_REFUSALS = 4;

/**
 * Creates the follow-up steps of a chat. A refused field is dropped or replaced and the request is
 * sent again; forced tool calls and JSON formats are checked, because servers may ignore them; and
 * reasoning without an answer is retried.
 */
export function createFollowUpSteps(
  request: ChatRequest,
  options: FollowUpStepOptions,
): FollowUpSteps {
  const { about, model, quirks, lessThinking, refusal } = options;
  const { toolChoice, responseFormat } = request;
  const toolChoiceEnforcer =
    toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none'
      ? undefined
      : enforceToolChoice(toolChoice, about);
  const formatEnforcer = responseFormat && enforceResponseFormat(responseFormat, about);
  const held = toolChoiceEnforcer || formatEnforcer ? ({ hold: 'text' } as const) : {};
  const context = () => ({
    known: quirks.quirksOf(model.id),
    formatInstruction: formatEnforcer?.instruction,
  });
  let refusals = 0;

  function learnWindow(tokens: number): void {
    const { messages, tools, maxOutputTokens = 0 } = request;
    const askedTokens = estimateChat(messages, tools) + maxOutputTokens;
    quirks.learnWindow(model.id, { tokens, knownTokens: model.contextTokens, askedTokens });
  }

  function afterRefusal({ body, end, hasContent }: StepResult): ChatStep | undefined {
    if (end.is !== 'failed' || hasContent || refusals >= MAX_REFUSALS) return undefined;
    const { contextTokens, class: errorClass } = end.error;
    if (contextTokens !== undefined) learnWindow(contextTokens);
    const error = errorClass === 'bad_request' ? refusal() : undefined;
    const refused = error && refusedFieldOf(error, body);
    if (!refused) return undefined;
    refusals += 1;
    const { quirk } = refused;
    if (refused.is === 'bad_value') {
      const notices = [refusedValueNotice(quirk, about.title)];
      return { body: withoutRefusedValue(body, quirk, context()), notices, ...held };
    }
    quirks.learn(model.id, quirk);
    const notices = [quirkNotice(quirk, about.title, 'now')];
    return { body: applyQuirk(body, quirk, context()), notices, ...held };
  }

  return {
    toolChoiceEnforcer,
    formatEnforcer,
    first(body, notices) {
      let adapted = body;
      const allNotices = [...notices];
      for (const quirk of quirks.quirksOf(model.id)) {
        const before = adapted;
        adapted = applyQuirk(adapted, quirk, context());
        if (adapted !== before && !isInvisibleToCaller(quirk))
          allNotices.push(quirkNotice(quirk, about.title, 'later'));
      }
      return { body: adapted, notices: allNotices, ...held };
    },
    next(result) {
      const again = afterRefusal(result);
      if (again) return again;
      const retried = retryReasoningOnly(result, model, lessThinking(result.body));
      if (retried) return { ...retried, ...held };
      return toolChoiceEnforcer?.next(result) ?? formatEnforcer?.next(result);
    },
    repair: formatEnforcer && ((result) => formatEnforcer.repair(result)),
  };
}
