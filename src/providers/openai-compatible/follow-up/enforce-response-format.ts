import { CallError } from '#core/errors/call-error.ts';
import type { FinishReason, ResponseFormat } from '#core/llm/chat.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { findJson } from '#core/json/model-json.ts';
import type { StepResult, RepairedAnswer, ChatStep } from '../chat-plan.ts';
import { createExaminer, type Violation } from '#core/json-schema/json-schema.ts';

export interface AnsweringModel {
  readonly provider: ProviderId;
  readonly title: string;
  readonly model: string;
}

/**
 * Enforces a JSON response format that the vendor does not enforce: requested in the prompt,
 * checked here, repaired or asked for again.
 */
export interface ResponseFormatEnforcer {
  /** For a system message. */
  readonly instruction: string;
  /**
   * For `ChatPlan.next`; the steps must hold their text. Throws `bad_response` when the model fails
   * repeatedly.
   */
  next(ended: StepResult): ChatStep | undefined;
  /** For `ChatPlan.repair`: the JSON without surrounding text. */
  repair(ended: StepResult): RepairedAnswer | undefined;
  check(text: string): StructuredAnswerCheck;
}

export type StructuredAnswerCheck =
  | {
      readonly is: 'fitting';
      readonly text: string;
      /** A pattern of the schema that could not be checked. */
      readonly unchecked?: Violation;
    }
  | { readonly is: 'wrong'; readonly violation: Violation };

const MAX_REPAIRS = 2;
/** How much of a wrong answer is sent back to the model. */
const MAX_SHOWN_CHARS = 64 * 1024;

/** For one chat: counts how often the model was asked again. */
export function enforceResponseFormat(
  format: ResponseFormat,
  about: AnsweringModel,
): ResponseFormatEnforcer {
  const { title, provider, model } = about;
  let repairs = 0;
  let last: { readonly of: string; readonly check: StructuredAnswerCheck } | undefined;

  function check(text: string): StructuredAnswerCheck {
    if (last?.of !== text) last = { of: text, check: checkStructuredAnswer(text, format) };
    return last.check;
  }

  function refuse(message: string, fix: string): CallError {
    return new CallError('bad_response', message, { provider, model, fix, dueTo: 'request' });
  }

  return {
    instruction: instructionFor(format),
    next({ body, turn, end }) {
      if (end.is === 'failed' || end.reason === 'tool_calls') return undefined;
      const checked = check(turn.text);
      if (checked.is === 'fitting' && !isFragment(checked.text, turn.text, end.reason)) {
        return undefined;
      }
      if (checked.is === 'fitting' || end.reason === 'length') {
        const fix = 'Allow more output tokens, or ask for less.';
        throw refuse(`The answer of ${title} was cut off before its JSON was complete.`, fix);
      }
      const violationText = `${checked.violation.path} ${checked.violation.problem}`;
      if (repairs >= MAX_REPAIRS) {
        const message = `${title} gave no answer that fits the schema, asked ${repairs + 1} times: ${violationText}.`;
        throw refuse(message, 'Make the schema simpler, or choose a model that enforces schemas.');
      }
      repairs += 1;
      return {
        body: { ...body, messages: [...messagesOf(body), ...askAgain(turn.text, violationText)] },
        notices: [notice('asked_again', { model: title, reason: 'schema', ...checked.violation })],
        hold: 'text',
      };
    },
    repair({ turn, end }) {
      if (end.is === 'failed' || end.reason === 'tool_calls') return undefined;
      const checked = check(turn.text);
      if (checked.is !== 'fitting' || isFragment(checked.text, turn.text, end.reason))
        return undefined;
      const { text, unchecked } = checked;
      return { text, notices: unchecked ? [notice('pattern_unchecked', unchecked)] : [] };
    },
    check,
  };
}

/** Whether the JSON found in a cut-off answer is only a part of its value. */
function isFragment(json: string, answer: string, reason: FinishReason): boolean {
  return reason === 'length' && answer.indexOf(json) !== answer.search(/[{[]/);
}

/** Finds JSON in an answer that fits the format, or the violation of the likeliest candidate. */
export function checkStructuredAnswer(
  answer: string,
  format: ResponseFormat,
): StructuredAnswerCheck {
  const schema: unknown = format.type === 'json_schema' ? format.schema : { type: 'object' };
  const examine = createExaminer(schema);
  let first: Violation | undefined;
  for (const { value, text } of findJson(answer)) {
    const { violation, unchecked } = examine(value);
    if (!violation) return { is: 'fitting', text, ...(unchecked && { unchecked }) };
    first ??= violation;
  }
  return {
    is: 'wrong',
    violation: first ?? { path: '/', problem: 'must be JSON and nothing else' },
  };
}

function instructionFor(format: ResponseFormat): string {
  const alone = 'No words around it, no code fences.';
  if (format.type === 'json') return `Answer with one JSON object. ${alone}`;
  return `Answer with one JSON value that fits this JSON Schema. ${alone}\n${schemaText(format.schema)}`;
}

function schemaText(schema: JsonObject): string {
  try {
    return JSON.stringify(schema);
  } catch (thrown) {
    throw new CallError('validation', 'The schema is nested too deeply to be sent.', {
      field: 'responseFormat.schema',
      fix: 'Make it flatter.',
      cause: thrown,
    });
  }
}

function messagesOf(body: JsonObject): readonly Json[] {
  const { messages } = body;
  return Array.isArray(messages) ? (messages as readonly Json[]) : [];
}

function askAgain(answer: string, violation: string): JsonObject[] {
  return [
    { role: 'assistant', content: answer.slice(0, MAX_SHOWN_CHARS).toWellFormed() },
    {
      role: 'user',
      content: `That answer does not fit: ${violation}. Send the corrected JSON, and nothing else.`,
    },
  ];
}
