import type { ThinkingMode } from '../llm/route.ts';
import { descriptorOf, type ProviderId } from '../providers/list.ts';
import type { SentenceTable } from './coded-message.ts';
import { count } from './context-reasons.ts';
import type { Reason } from './reasons.ts';
import type { ErrorSummary } from './run-reasons.ts';
import { asSentence } from './sentence.ts';

/**
 * Notices of the manager about an answer: options that were not honoured, and what was shortened.
 */
export interface RoutingNoticeParams {
  /** The requested model, or the thread's model, is not asked. */
  model_passed_over: { readonly model: string; readonly reason: Reason; readonly instead: string };
  /** No model is available, so passages are quoted. */
  quoted_instead: { readonly error: ErrorSummary };
  only_free_models: { readonly spending: Reason };
  /** A spending limit is set, and the price of the answering model is unknown. */
  cost_unknown: { readonly model: string };
  model_cannot_search: { readonly model: string };
  /** A name of OpenRouter stays with the vendor that is set up. */
  model_kept_at_vendor: {
    readonly name: string;
    readonly model: string;
    readonly provider: ProviderId;
  };
  speed_against_thinking: { readonly thinking: ThinkingMode };
  model_always_thinks: { readonly model: string };
  model_never_thinks: { readonly model: string; readonly thinking: ThinkingMode };
  unknown_thread_model: { readonly model: string };
  /** An explanation asks no model; a real request would be classified by one first. */
  classifier_not_asked: { readonly model: string };
  /** The answer was interrupted at its apparent end, and another model added nothing. */
  answer_looks_complete: { readonly model: string };

  duplicate_file_names: { readonly names: readonly string[]; readonly more: number };
  messages_left_out: {
    readonly messages: number;
    readonly which: 'oldest' | 'earlier';
    /** 0 if no context window holds the conversation. */
    readonly overTokens: number;
    readonly window: { readonly model: string } | { readonly tokens: number };
    readonly tense: Tense;
  };
  text_summarised: {
    readonly what: 'file' | 'question' | 'result';
    readonly name: string;
    readonly tokens: number;
    readonly summaryTokens: number;
    readonly tense: Tense;
  };
  middle_summarised: { readonly name: string; readonly tokens: number };
  summary_incomplete: { readonly name: string; readonly quoted: number; readonly parts: number };
  /** In explanations: the prompt cannot be made to fit. */
  prompt_does_not_fit: { readonly reason: Reason };
  /** An explanation reads no files. */
  files_not_read: { readonly files: number };
}

/** `foreseen`: an explanation says what would be done. */
export type Tense = 'done' | 'foreseen';

export const ROUTING_NOTICE_SENTENCES: SentenceTable<RoutingNoticeParams> = {
  model_passed_over: ({ model, reason, instead }, render) =>
    `${model} was chosen, but ${render.reason(reason)}; using ${instead} instead.`,
  quoted_instead: ({ error }, render) =>
    [
      render.message(error),
      'Showing matching passages from your input instead.',
      render.fixes(error.fixes),
    ]
      .filter((text) => text !== '')
      .join(' '),
  only_free_models: ({ spending }, render) =>
    `${render.reason(spending)}; only models that cost nothing are asked.`,
  cost_unknown: ({ model }) =>
    `The price of ${model} is unknown, so spending limits do not include this answer.`,
  model_cannot_search: ({ model }) =>
    `${model} cannot search the web, so it answers from what it knows.`,
  model_kept_at_vendor: ({ name, model, provider }) =>
    `${name} is ${model} of ${descriptorOf(provider).title}, which is set up; openrouter/${name} asks OpenRouter.`,
  speed_against_thinking: ({ thinking }, render) =>
    `${render.argument('prefer', 'speed')} and ${render.argument('thinking_mode', thinking)} contradict each other; the second was followed.`,
  model_always_thinks: ({ model }) =>
    `${model} cannot stop thinking; it thinks as little as it can.`,
  model_never_thinks: ({ model, thinking }, render) =>
    `${model} does not think, so ${render.argument('thinking_mode', thinking)} has no effect.`,
  unknown_thread_model: ({ model }) => `The thread was with ${model}, which is not known any more.`,
  classifier_not_asked: ({ model }) =>
    `It is not clear what this is; ${model} would be asked first, and the choice may change.`,
  answer_looks_complete: ({ model }) =>
    `The connection broke during the answer, so its end may be missing; ${model} was asked to continue it and had nothing to add.`,

  duplicate_file_names: ({ names, more }) => {
    const all = more > 0 ? `${names.join(', ')} and ${count(more)} more` : names.join(', ');
    return `More than one file is called ${all}: the last one counts.`;
  },
  messages_left_out: ({ messages, which, overTokens, window, tense }) => {
    const isMany = messages > 1;
    const article = which === 'earlier' && isMany ? '' : 'The ';
    const number = isMany ? `${count(messages)} ` : '';
    const verb = tense === 'foreseen' ? 'would be' : isMany ? 'were' : 'was';
    const holder = 'model' in window ? window.model : `${count(window.tokens)} tokens`;
    const why =
      overTokens > 0
        ? `${count(overTokens)} tokens over the window of ${holder}`
        : 'no window holds so much';
    return `${article}${number}${which} message${isMany ? 's' : ''} of the conversation ${verb} left out: ${why}.`;
  },
  text_summarised: ({ what, name, tokens, summaryTokens, tense }) => {
    const was = `${count(tokens)} tokens`;
    const became =
      tense === 'done'
        ? `was summarised to ${count(summaryTokens)}`
        : `would be summarised to about ${count(summaryTokens)}`;
    const ends = 'its beginning and its end are word for word';
    switch (what) {
      case 'file':
        return `${name} (${was}) ${became}.`;
      case 'result':
        return `The result of ${name} (${was} of it) ${became}; ${ends}.`;
      case 'question':
        return `The middle of the message (${was}) ${became}; ${ends}.`;
    }
  },
  middle_summarised: ({ name, tokens }) =>
    `Beginning and end of ${name} are word for word; the ${count(tokens)} tokens or so between them are summarised.`,
  summary_incomplete: ({ name, quoted, parts }) =>
    `The summary of ${name} is incomplete: of ${count(quoted)} of its ${count(parts)} parts only beginning and end are quoted.`,
  prompt_does_not_fit: ({ reason }, render) => asSentence(render.reason(reason)),
  files_not_read: ({ files }) =>
    `${files === 1 ? '1 file is' : `${files} files are`} only named: an explanation does not read what comes from a provider, the web or the tool itself, so ${files === 1 ? 'its size is' : 'their sizes are'} unknown.`,
};
