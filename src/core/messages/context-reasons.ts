import type { SentenceTable } from './coded-message.ts';
import type { ModelGroup } from './model-groups.ts';
import { formatModelList } from './model-groups.ts';
import type { NoParams, Reason } from './reasons.ts';

/** Reasons why a prompt does not fit a context window. */
export interface ContextReasonParams {
  question_too_long: { readonly tokens: number; readonly roomTokens: number };
  question_too_long_for_all: { readonly models: readonly ModelGroup[] };
  /** `why` says why it cannot be shortened. */
  request_too_long: {
    readonly tokens: number;
    readonly roomTokens: number;
    readonly model?: string;
    readonly why?: Reason;
  };
  no_summary_model: NoParams;
  not_summarised: { readonly message: string };
  summary_empty: { readonly name: string };
  too_long_to_summarise: {
    readonly name: string;
    readonly tokens: number;
    readonly maxTokens: number;
  };
}

export const CONTEXT_REASON_SENTENCES: SentenceTable<ContextReasonParams> = {
  question_too_long: ({ tokens, roomTokens }) =>
    `the question alone has about ${count(tokens)} tokens, and its window has room for ${count(roomTokens)}`,
  question_too_long_for_all: ({ models }, render) =>
    `The question is too long for every model${formatModelList(models, render)}`,
  request_too_long: ({ tokens, roomTokens, model = 'the model', why }, render) => {
    const text = `The request has about ${count(tokens)} tokens, and ${model} has room for ${count(roomTokens)} of them`;
    return why ? `${text}. ${render.reason(why)}` : text;
  },
  no_summary_model: () => 'There is no model that could summarise the rest',
  not_summarised: ({ message }) => `It could not be summarised: ${message}`,
  summary_empty: ({ name }) => `The summary of ${name} is empty`,
  too_long_to_summarise: ({ name, tokens, maxTokens }) =>
    `${name} has about ${count(tokens)} tokens; up to about ${count(maxTokens)} can be summarised`,
};

export function count(number: number): string {
  return Math.round(number).toLocaleString('en');
}
