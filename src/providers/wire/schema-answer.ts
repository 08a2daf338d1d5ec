import { CallError } from '#core/call-error.ts';
import type { FinishReason, ResponseFormat } from '#core/chat.ts';
import type { Json, JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { ProviderId } from '#core/provider.ts';
import { findJson } from '#core/model-json.ts';
import type { Ended, Mended, Round } from './round.ts';
import { createExaminer, type Violation } from '#core/json-schema/json-schema.ts';

export interface AnswerOf {
  readonly provider: ProviderId;
  readonly title: string;
  readonly model: string;
}

/** JSON answers of a vendor that does not enforce them: asked for in words, checked here, mended or asked for again. */
export interface SchemaAnswer {
  /** For a system message. */
  readonly instruction: string;
  /** For `ChatPlan.next`, whose rounds must hold their text. Throws `bad_response` when the model does not manage. */
  next(ended: Ended): Round | undefined;
  /** For `ChatPlan.mend`: the JSON alone, when the answer had more around it. */
  mend(ended: Ended): Mended | undefined;
  judge(text: string): JudgedAnswer;
}

export type JudgedAnswer =
  | {
      readonly is: 'fitting';
      readonly text: string;
      /** A pattern of the schema that could not be run. */
      readonly unchecked?: Violation;
    }
  | { readonly is: 'wrong'; readonly violation: Violation };

const MAX_REPAIRS = 2;
/** A wrong answer goes back to the model for it to see, but not at any length. */
const MAX_SHOWN_CHARS = 64 * 1024;

/** Of one chat: it counts how often the model was asked again. */
export function createSchemaAnswer(format: ResponseFormat, about: AnswerOf): SchemaAnswer {
  const { title, provider, model } = about;
  let repairs = 0;
  let last: { readonly of: string; readonly judged: JudgedAnswer } | undefined;

  function judge(text: string): JudgedAnswer {
    if (last?.of !== text) last = { of: text, judged: judgeAnswer(text, format) };
    return last.judged;
  }

  function refuse(message: string, fix: string): CallError {
    return new CallError('bad_response', message, { provider, model, fix, dueTo: 'request' });
  }

  return {
    instruction: instructionFor(format),
    next({ body, turn, end }) {
      if (end.is === 'failed' || end.reason === 'tool_calls') return undefined;
      const judged = judge(turn.text);
      if (judged.is === 'fitting' && !isFragment(judged.text, turn.text, end.reason)) {
        return undefined;
      }
      if (judged.is === 'fitting' || end.reason === 'length') {
        const fix = 'Allow more output tokens, or ask for less.';
        throw refuse(`The answer of ${title} was cut off before its JSON was complete.`, fix);
      }
      const said = `${judged.violation.path} ${judged.violation.problem}`;
      if (repairs >= MAX_REPAIRS) {
        const message = `${title} gave no answer that fits the schema, asked ${repairs + 1} times: ${said}.`;
        throw refuse(message, 'Make the schema simpler, or choose a model that enforces schemas.');
      }
      repairs += 1;
      return {
        body: { ...body, messages: [...messagesOf(body), ...askAgain(turn.text, said)] },
        notices: [notice('asked_again', { model: title, reason: 'schema', ...judged.violation })],
        hold: 'text',
      };
    },
    mend({ turn, end }) {
      if (end.is === 'failed' || end.reason === 'tool_calls') return undefined;
      const judged = judge(turn.text);
      if (judged.is !== 'fitting') return undefined;
      const { text, unchecked } = judged;
      return { text, notices: unchecked ? [notice('pattern_unchecked', unchecked)] : [] };
    },
    judge,
  };
}

/** Whether JSON of an answer that was cut off is only a part of its JSON: a value within one that has no end. */
function isFragment(json: string, answer: string, reason: FinishReason): boolean {
  return reason === 'length' && answer.indexOf(json) !== answer.search(/[{[]/);
}

/** The JSON of an answer that fits, or how the likeliest JSON in it does not. */
export function judgeAnswer(answer: string, format: ResponseFormat): JudgedAnswer {
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
