import type { SentenceTable } from './coded-message.ts';
import { listed } from './sentence.ts';

type None = Readonly<Record<string, never>>;

/** Display name of a model, or of a provider if it applies to all of its models. */
type OfModel = { readonly model: string };

/** `again`: after the provider had refused the first request. */
type Sent = 'first' | 'again';

/** Notices about changes to a chat request, and about missing parts of the answer. */
export interface ProviderNoticeParams {
  thinking_unsupported: OfModel;
  /** With the lowest effort, if the model has effort levels. */
  thinking_stays_on: OfModel & { readonly effort?: string };
  thinking_off_for_search: OfModel & { readonly provider: string };
  thinking_off_for_tool: OfModel & { readonly provider: string };
  effort_unsupported: OfModel;
  effort_changed: OfModel & { readonly effort: string; readonly sent: string };
  reasoning_not_kept: OfModel;
  /**
   * Names of `ChatRequest`: `topP`, `userHash`, `webSearch.count`; or of the provider, such as
   * `seed`.
   */
  parameter_dropped: OfModel & {
    readonly parameters: readonly string[];
    readonly reason: 'unsupported' | 'fixed' | 'temperature_zero' | 'too_short' | 'own_search';
  };
  parameter_clamped: OfModel & {
    readonly parameter: string;
    readonly min: number;
    readonly max: number;
    readonly sent: number;
  };
  parameter_refused: OfModel & {
    readonly parameter: string;
    readonly refused: 'parameter' | 'value';
  };
  parameter_replaced: OfModel & {
    readonly parameter: string;
    readonly replacement: string;
    readonly sent: Sent;
  };
  format_in_prompt: OfModel & {
    readonly format: 'json_schema' | 'json_object';
    readonly sent: Sent;
  };
  max_tokens_lowered: OfModel & {
    readonly limit: number;
    readonly requested: number;
    readonly reason: 'model' | 'window' | 'refused';
  };
  search_unsupported: OfModel & { readonly reason: 'model' | 'continuation' | 'refused' };
  /** It searched, and its API never names sources. */
  search_sources_hidden: OfModel;
  /** It should have searched, but named no source. */
  search_sources_missing: OfModel;
  /** A search within an answer failed. */
  search_failed: { readonly message: string };
  search_results_dropped: { readonly tokens: number };
  search_rounds_used: OfModel & { readonly rounds: number };
  /** From the extractive provider, when no model answers. */
  nothing_to_quote: None;
  characters_replaced: None;
  tool_arguments_dropped: { readonly calls: number };
  fallback_models_dropped: None;
  prompt_cut_possible: OfModel & { readonly tokens: number };
  prompt_cut: OfModel & { readonly readTokens: number; readonly sentTokens: number };
  asked_again: OfModel &
    (
      | { readonly reason: 'only_thinking' }
      | { readonly reason: 'schema'; readonly path: string; readonly problem: string }
      | { readonly reason: 'no_tool_call'; readonly tool?: string }
    );
  /** The whole limit of the caller went into thinking. */
  limit_spent_on_thinking: OfModel & { readonly limit: number };
  window_full: OfModel;
  tool_call_cut: OfModel & { readonly tool: string };
  tool_arguments_invalid: OfModel & { readonly tool: string };
  finish_reason_unknown: OfModel & { readonly reason: string };
  piece_unreadable: OfModel;
  pattern_unchecked: { readonly path: string; readonly problem: string };
}

const TITLES: Readonly<Record<string, string>> = {
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  userHash: 'the user hash',
  'webSearch.query': 'the search query',
  'webSearch.count': 'the number of search results',
  'webSearch.domain': 'the search domain',
  'webSearch.recency': 'the search period',
  'webSearch.maxRounds': 'the limit of searches',
  'webSearch.maxTokens': 'the limit of search tokens',
};

const titleOf = (parameter: string) => TITLES[parameter] ?? parameter;
const again = (sent: Sent) => (sent === 'again' ? 'sent again' : 'sent');

export const PROVIDER_NOTICE_SENTENCES: SentenceTable<ProviderNoticeParams> = {
  thinking_unsupported: ({ model }) =>
    `${model} does not support thinking; the request was sent without it.`,
  thinking_stays_on: ({ model, effort }) =>
    `Thinking of ${model} cannot be turned off${effort === undefined ? '.' : `; the request was sent with the effort ${effort}, its lowest.`}`,
  thinking_off_for_search: ({ model, provider }) =>
    `${provider} searches the web only without thinking; the request to ${model} was sent without it.`,
  thinking_off_for_tool: ({ model, provider }) =>
    `${provider} can be forced to call a tool only without thinking; the request to ${model} was sent without it.`,
  effort_unsupported: ({ model }) => `${model} has no levels of effort; the effort was left out.`,
  effort_changed: ({ model, effort, sent }) =>
    `${model} does not support the effort ${effort}; ${sent} was sent.`,
  reasoning_not_kept: ({ model }) => `${model} cannot keep the reasoning of earlier turns.`,
  parameter_dropped: ({ model, parameters, reason }) => {
    const names = listed(parameters.map(titleOf));
    const were = parameters.length === 1 ? 'was' : 'were';
    switch (reason) {
      case 'unsupported':
        return `${model} does not support ${names}; the request was sent without ${parameters.length === 1 ? 'it' : 'them'}.`;
      case 'fixed':
        return `${model} sets ${names} itself; what was requested was left out.`;
      case 'temperature_zero':
        return `At temperature 0, ${names} ${parameters.length === 1 ? 'has' : 'have'} no effect and ${were} left out.`;
      case 'too_short':
        return `${capital(names)} ${were} too short for ${model} and ${were} left out.`;
      case 'own_search':
        return `${model} searches once, by the messages alone; ${names} ${were} left out.`;
    }
  },
  parameter_clamped: ({ model, parameter, min, max, sent }) =>
    `${model} takes ${titleOf(parameter)} from ${min} to ${max}; ${sent} was sent.`,
  parameter_refused: ({ model, parameter, refused }) =>
    `${model} refused ${refused === 'value' ? 'the value of ' : ''}${titleOf(parameter)}; the request was sent again without it.`,
  parameter_replaced: ({ model, parameter, replacement, sent }) =>
    `${model} does not support ${parameter}; the request was ${again(sent)} with ${replacement}.`,
  format_in_prompt: ({ model, format, sent }) =>
    `${model} does not support ${format === 'json_schema' ? 'a JSON schema' : 'a JSON format'}; the request was ${again(sent)} with the format described in the prompt.`,
  max_tokens_lowered: ({ model, limit, requested, reason }) => {
    switch (reason) {
      case 'model':
        return `${model} writes at most ${limit} output tokens; ${requested} were requested.`;
      case 'window':
        return `The prompt leaves ${model} room for about ${limit} output tokens; ${requested} were requested.`;
      case 'refused':
        return `${model} writes at most ${limit} output tokens, not ${requested}; the request was sent again with that limit.`;
    }
  },
  search_unsupported: ({ model, reason }) => {
    switch (reason) {
      case 'model':
        return `${model} cannot search the web; the request was sent without a search.`;
      case 'continuation':
        return `${model} cannot search the web while it continues an answer; the request was sent without a search.`;
      case 'refused':
        return `${model} refused the web search; the request was sent again without a search.`;
    }
  },
  search_sources_hidden: ({ model }) => `${model} searched the web; it does not name its sources.`,
  search_sources_missing: ({ model }) =>
    `${model} named no sources; it may not have searched, even if its answer says so.`,
  search_failed: ({ message }) =>
    `A search of the web failed, so the answer may lack what it would have found: ${message}`,
  search_results_dropped: ({ tokens }) =>
    `The results of a search have about ${tokens} tokens, more than there is room for; they were left out.`,
  search_rounds_used: ({ model, rounds }) =>
    `${model} searched ${rounds === 1 ? 'once' : `${rounds} times`}, the most that is allowed; it answers with what it found.`,
  nothing_to_quote: () => 'There was nothing to quote in the place of an answer.',
  characters_replaced: () =>
    'The messages contain characters that are not valid Unicode; they were replaced.',
  tool_arguments_dropped: ({ calls }) =>
    `The arguments of ${calls === 1 ? 'an earlier tool call' : `${calls} earlier tool calls`} could not be read and were left out.`,
  fallback_models_dropped: () =>
    'Fallback models that models.allow or models.deny exclude were left out.',
  prompt_cut_possible: ({ model, tokens }) =>
    `${model} does not state its context window and silently cuts longer prompts; this prompt has about ${tokens} tokens.`,
  prompt_cut: ({ model, readTokens, sentTokens }) =>
    `${model} read ${readTokens} of about ${sentTokens} tokens: the prompt was probably cut.`,
  asked_again: (params) => {
    const { model } = params;
    switch (params.reason) {
      case 'only_thinking':
        return `${model} thought without answering; the request was sent again with less thinking.`;
      case 'schema':
        return `The answer of ${model} did not match the schema (${params.path} ${params.problem}); the request was sent again.`;
      case 'no_tool_call':
        return `${model} answered with text instead of calling ${params.tool === undefined ? 'one of the tools' : `the tool ${params.tool}`}; the request was sent again.`;
    }
  },
  limit_spent_on_thinking: ({ model, limit }) =>
    `${model} spent its limit of ${limit} output tokens on thinking; the answer has no text.`,
  window_full: ({ model }) => `${model} stopped because its context window was full.`,
  tool_call_cut: ({ model, tool }) =>
    `${model} reached its token limit before it finished the call of ${tool}.`,
  tool_arguments_invalid: ({ model, tool }) =>
    `${model} wrote arguments for ${tool} that are not a JSON object.`,
  finish_reason_unknown: ({ model, reason }) =>
    `${model} ended its answer with the unknown reason "${reason}".`,
  piece_unreadable: ({ model }) =>
    `A piece of the answer of ${model} could not be read and is missing.`,
  pattern_unchecked: ({ path, problem }) =>
    `The pattern of the schema at ${path} was not checked: it ${problem}.`,
};

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Notices about model names, model lists and the catalogue. */
export interface ModelNoticeParams {
  /** `name` is the requested alias, if any. */
  model_retired: {
    readonly model: string;
    readonly name?: string;
    readonly successor: string;
    /** Retirement day, if known. */
    readonly until?: string;
    readonly reason?: string;
  };
  role_model_unknown: {
    readonly setting: string;
    readonly name: string;
    readonly nearest?: string;
  };
  provider_models_excluded: { readonly provider: string; readonly settings: readonly string[] };
  listing_empty: { readonly provider: string };
  listing_names_invalid: { readonly provider: string; readonly count: number };
  listing_cut: { readonly provider: string; readonly count: number; readonly limit: number };
  model_lists_damaged: { readonly path?: string };
}

export const MODEL_NOTICE_SENTENCES: SentenceTable<ModelNoticeParams> = {
  model_retired: ({ model, name, successor, until, reason }) => {
    const subject = name === undefined ? model : `${name} (${model})`;
    const state =
      until === undefined
        ? `is no longer offered${reason === undefined ? '' : ` (${reason})`}`
        : `was switched off on ${until}`;
    return `${subject} ${state}; ${successor} answers instead.`;
  },
  role_model_unknown: ({ setting, name, nearest }) =>
    `${setting} names "${name}", which is not a known model.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
  provider_models_excluded: ({ provider, settings }) =>
    `${listed(settings)} ${settings.length === 1 ? 'excludes' : 'exclude'} every model of ${provider}.`,
  listing_empty: ({ provider }) =>
    `The model list of ${provider} has no chat model, so nothing was changed.`,
  listing_names_invalid: ({ provider, count }) =>
    `The model list of ${provider} has ${count} models without a valid name.`,
  listing_cut: ({ provider, count, limit }) =>
    `The model list of ${provider} has ${count} models; the first ${limit} were read.`,
  model_lists_damaged: ({ path }) =>
    `The stored model lists of the providers are damaged${path === undefined ? '' : ` at ${path}`} and were left out; \`exai models refresh\` stores them again.`,
};
