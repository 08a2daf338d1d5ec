import { findProvider, type RoleName } from '../providers/list.ts';
import type { RequestClass } from '../route.ts';
import type { Category } from '../tool.ts';
import type { SentenceTable } from './coded.ts';
import { count } from './context-reasons.ts';
import type { NoParams, Reason } from './reasons.ts';
import { roleTitle } from './role-titles.ts';

type OfTool = {
  readonly tool: string;
};

/** What a request is, why a rule of routing applies to it or not, and what the rule chooses. */
export interface RuleReasonParams {
  // What a request is.
  prompt_tokens: { readonly tokens: number };
  about_files: { readonly files: number; readonly documents: number; readonly scans: number };
  has_media: NoParams;
  search_requested: NoParams;
  /** `words` of the question ask for what is new. */
  asks_for_news: { readonly words: string };
  tools_given: { readonly tools: number };
  agent_request: NoParams;
  thorough_tool: OfTool;
  has_code: NoParams;
  plain_question: NoParams;
  /** `words` of the question may ask for what is new, so that the class is unclear. */
  may_ask_for_news: { readonly reason: Reason; readonly words: string };
  classified_by_model: { readonly class: RequestClass };
  /** A model took the request for something that it does not bring along. */
  class_without_content: { readonly class: RequestClass };

  // Whether a rule applies.
  no_model_named: NoParams;
  default_model: { readonly model: string };
  /** `gateway.models` maps what the client wrote to a model or to `auto`. */
  name_mapped: { readonly writtenAs: string; readonly model: string };
  model_requested: { readonly model: string };
  thread_model: { readonly model: string };
  no_thread_model: NoParams;
  kimi_tool: OfTool;
  not_kimi_tool: NoParams;
  not_about_files: NoParams;
  no_media: NoParams;
  not_chat_tool: OfTool;
  no_news_requested: NoParams;
  no_tools_given: NoParams;
  deep_tool: OfTool;
  not_deep_tool: NoParams;
  not_workflow_tool: NoParams;
  more_steps_follow: NoParams;
  depth_is_deep: NoParams;
  step_unknown: NoParams;
  last_step: NoParams;
  analyze_after_first_step: NoParams;
  decisive_step: { readonly tool: string; readonly reason: Reason };
  early_step: OfTool;
  simple_tool: OfTool;
  not_simple_tool: NoParams;
  selection_off: NoParams;
  /** `reason`: that it is code, where that decides as well. */
  tool_category: { readonly tool: string; readonly category: Category; readonly reason?: Reason };
  cjk_share: { readonly percent: number };
  preference: { readonly prefer: 'speed' | 'cost' };
  no_preference: NoParams;
  no_rule_before: NoParams;

  // What a rule chooses.
  /** The model that was named, or the one that answers in its place. */
  model_answers: { readonly model?: string };
  thread_continues: NoParams;
  role_answers: {
    readonly role: RoleName;
    readonly model: string;
    /** Why this one before others. */
    readonly why?: Reason;
  };
  answers_with_search: { readonly model: string };
  own_server_answers: NoParams;
  provider_answers: { readonly provider: string };
  input_quoted: NoParams;
  kimi_unavailable: NoParams;
  kimi_recovering: NoParams;
  speed_preferred: NoParams;
  costs_less: NoParams;
  kimi_slow: { readonly firstTokenMs: number };
  window_holds_all: NoParams;
  window_holds_more: NoParams;
  thread_with_kimi: NoParams;
}

const CATEGORIES: Readonly<Record<Category, string>> = {
  extended_reasoning: 'wants extended reasoning',
  balanced: 'wants a balance of speed and thought',
  fast_response: 'wants a quick answer',
};

export const RULE_REASON_SENTENCES: SentenceTable<RuleReasonParams> = {
  prompt_tokens: ({ tokens }) => `it has about ${count(tokens)} tokens`,
  about_files: (files) => `it is about ${filesText(files)}`,
  has_media: () => 'pictures or videos come along',
  search_requested: () => 'a search of the web is asked for',
  asks_for_news: ({ words }) => `it asks for what is new (“${words}”)`,
  tools_given: ({ tools }) => (tools === 1 ? 'a tool is given' : `${tools} tools are given`),
  agent_request: () => 'an agent asks',
  thorough_tool: ({ tool }) => `${tool} is a tool for thorough work`,
  has_code: () => 'there is code in it',
  plain_question: () => 'it is a plain question',
  may_ask_for_news: ({ reason, words }, render) =>
    `${render.reason(reason)}, but “${words}” may ask for news`,
  classified_by_model: ({ class: name }) => `the manager’s model takes it for ${name}`,
  class_without_content: ({ class: name }) =>
    `It was taken for ${name}, but brings nothing of the kind along`,

  no_model_named: () => 'no model was named',
  default_model: ({ model }) => `models.default is ${model}`,
  name_mapped: ({ writtenAs, model }) => `${writtenAs} means ${model} (gateway.models)`,
  model_requested: ({ model }) => `${model} was asked for`,
  thread_model: ({ model }) => `the thread is with ${model}`,
  no_thread_model: () => 'no thread has chosen a model before',
  kimi_tool: ({ tool }) => `${tool} is Kimi’s own`,
  not_kimi_tool: () => 'the tool is not Kimi’s own',
  not_about_files: () => 'it is not about documents or several files',
  no_media: () => 'there is no picture',
  not_chat_tool: ({ tool }) => `${tool} is not like chat`,
  no_news_requested: () => 'nothing new is asked for',
  no_tools_given: () => 'no tools are given',
  deep_tool: ({ tool }) => `${tool} thinks deeply`,
  not_deep_tool: () => 'the tool is none of the deep ones',
  not_workflow_tool: () => 'the tool does not work in steps',
  more_steps_follow: () => 'more steps follow',
  depth_is_deep: () => 'depth is deep',
  step_unknown: () => 'the step is not known',
  last_step: () => 'it is the last step',
  analyze_after_first_step: () => 'analyze is quick in its first step only',
  decisive_step: ({ tool, reason }, render) =>
    `${tool} works in steps and ${render.reason(reason)}`,
  early_step: ({ tool }) => `${tool} has more steps to come`,
  simple_tool: ({ tool }) => `${tool} is a simple tool`,
  not_simple_tool: () => 'the tool is none of the simple ones',
  selection_off: () => 'intelligent selection is off',
  tool_category: ({ tool, category, reason }, render) =>
    `${tool} ${CATEGORIES[category]}${reason ? `, and ${render.reason(reason)}` : ''}`,
  cjk_share: ({ percent }) => `${percent} % of the letters are Chinese, Japanese or Korean`,
  preference: ({ prefer }) => `${prefer} matters most`,
  no_preference: () => 'nothing is said about speed or cost',
  no_rule_before: () => 'no other rule found a model',

  model_answers: ({ model = 'it' }) => `${model} answers`,
  thread_continues: () => 'it goes on',
  role_answers: ({ role, model, why }, render) =>
    `${roleTitle(role)} (${model}) answers${why ? `: ${render.reason(why)}` : ''}`,
  answers_with_search: ({ model }) => `${model} answers with its own search`,
  own_server_answers: () => 'your own server answers',
  provider_answers: ({ provider }) => `${findProvider(provider)?.title ?? provider} answers`,
  input_quoted: () => 'what was given is quoted',
  kimi_unavailable: () => 'Kimi cannot be asked now',
  kimi_recovering: () => 'Kimi failed lately and is only being tried again',
  speed_preferred: () => 'speed matters more here',
  costs_less: () => 'it costs less, and cost matters more here',
  kimi_slow: ({ firstTokenMs }) =>
    `Kimi takes about ${Math.round(firstTokenMs / 1000)} s to its first word now`,
  window_holds_all: () => 'its window holds all of it, Kimi’s do not',
  window_holds_more: () => 'its window holds more of it than Kimi’s',
  thread_with_kimi: () => 'the thread is with Kimi',
};

function filesText({ files, documents, scans }: RuleReasonParams['about_files']): string {
  if (scans > 0) return scans === 1 ? 'a scan' : `${scans} scans`;
  if (files > 1) return `${files} files`;
  return documents === 1 ? 'a document' : `${documents} documents`;
}
