import type { RequestClass } from '../llm/route.ts';
import { findProvider, type RoleName } from '../providers/list.ts';
import type { Category } from '../tools/tool.ts';
import type { SentenceTable } from './coded-message.ts';
import { count } from './context-reasons.ts';
import { formatModelName, modelsText, type ModelGroup } from './model-groups.ts';
import type { NoParams, Reason } from './reasons.ts';
import { linkTitle, roleTitle, type RoleLink } from './role-titles.ts';

/**
 * Reasons of a routing decision: rules that were tried, positions in the chain, remarks on a plan.
 */
export interface RoutingReasonParams {
  /** A rule applies and found a model. */
  rule_chose: {
    readonly applies: Reason;
    readonly choice: Reason;
    /** Models that the rule would have preferred. */
    readonly passedOver: readonly ModelGroup[];
  };
  /** A rule applies, but none of its models is available. */
  rule_without_model: { readonly applies: Reason; readonly models: readonly ModelGroup[] };
  /** A rule chose another model than the requested one, and fallback is disabled. */
  other_model_forbidden: NoParams;
  chosen_by_rule: { readonly number: number; readonly rule: string; readonly reason: Reason };
  rule_found_no_model: { readonly number: number; readonly rule: string; readonly reason: Reason };
  classified: {
    readonly class: RequestClass;
    /** 0 to 1. */
    readonly confidence: number;
    readonly reason: Reason;
  };
  /** A small model classified the request. */
  classifier_asked: {
    readonly model?: string;
    readonly class: RequestClass;
    readonly confidence: number;
    /** Whether the web is searched. */
    readonly searches: boolean;
  };
  next_in_chain: { readonly class: RequestClass; readonly link: RoleLink };
  other_model_of_role: { readonly role: RoleName };
  quotation_last: NoParams;
  /** Remarks on a candidate. */
  recovering: NoParams;
  /** Its breaker is open, and no other model is left. */
  cool_down_ignored: NoParams;
  context_shortened: NoParams;
  without_search: NoParams;
  left_out: { readonly provider: string; readonly model: string; readonly reason: Reason };
  embeddings_by_own_server: NoParams;
  first_embedding_model: { readonly model: string };
}

export const ROUTING_REASON_SENTENCES: SentenceTable<RoutingReasonParams> = {
  rule_chose: ({ applies, choice, passedOver }, render) => {
    const instead = passedOver.length === 0 ? '' : ` (${modelsText(passedOver, render)})`;
    return `${render.reason(applies)}, so ${render.reason(choice)}${instead}`;
  },
  rule_without_model: ({ applies, models }, render) => {
    const why = models.length === 0 ? 'no model is known for it' : modelsText(models, render);
    return `${render.reason(applies)}, but ${why}`;
  },
  other_model_forbidden: () => 'it found another model, and no other may answer',
  chosen_by_rule: ({ number, reason }, render) => `Rule ${number}: ${render.reason(reason)}`,
  rule_found_no_model: ({ number, rule, reason }, render) =>
    `Rule ${number} (${rule}) found no model: ${render.reason(reason)}`,
  classified: ({ class: name, confidence, reason }, render) =>
    `Class ${name} (${sure(confidence)}): ${render.reason(reason)}`,
  classifier_asked: ({ model = 'A small model', class: name, confidence, searches }) =>
    `${model} was asked what it is: ${name} (${sure(confidence)})${searches ? '; the web is searched' : ''}`,
  next_in_chain: ({ class: name, link }) => `Next in the chain for ${name}: ${linkTitle(link)}`,
  other_model_of_role: ({ role }) => `Another model for ${roleTitle(role)}`,
  quotation_last: () => 'When no model answers, what was given is quoted',
  recovering: () => 'it failed lately and is being tried again',
  cool_down_ignored: () =>
    'its circuit breaker is open; it is tried because no other model is left',
  context_shortened: () => 'the context is shortened for its window',
  without_search: () => 'without a search',
  left_out: ({ provider, model, reason }, render) =>
    `${formatModelName({ provider, model })}: ${render.reason(reason)}`,
  embeddings_by_own_server: () => 'Your own server makes the embeddings',
  first_embedding_model: ({ model }) => `${model} is the first that makes embeddings`,
};

function sure(confidence: number): string {
  return `${Math.round(confidence * 100)} % sure`;
}

type OfTool = {
  readonly tool: string;
};

/** Reasons about the class of a request, whether a rule applies, and what it chooses. */
export interface RuleReasonParams {
  // Class of a request.
  prompt_tokens: { readonly tokens: number };
  about_files: { readonly files: number; readonly documents: number; readonly scans: number };
  has_media: NoParams;
  search_requested: NoParams;
  /** `words` of the question ask for current information. */
  asks_for_news: { readonly words: string };
  tools_given: { readonly tools: number };
  agent_request: NoParams;
  thorough_tool: OfTool;
  has_code: NoParams;
  plain_question: NoParams;
  /** `words` of the question may ask for current information, so the class is ambiguous. */
  may_ask_for_news: { readonly reason: Reason; readonly words: string };
  classified_by_model: { readonly class: RequestClass };
  /** A model classified the request as something that it does not contain. */
  class_without_content: { readonly class: RequestClass };

  // Whether a rule applies.
  no_model_named: NoParams;
  default_model: { readonly model: string };
  /** `gateway.aliases` maps the client's alias to a model or to `auto`. */
  name_mapped: { readonly writtenAs: string; readonly model: string };
  model_requested: { readonly model: string };
  panel_member: { readonly model: string };
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
  /** `reason`: that it is code, if that matters, too. */
  tool_category: { readonly tool: string; readonly category: Category; readonly reason?: Reason };
  cjk_share: { readonly percent: number };
  preference: { readonly prefer: 'speed' | 'cost' };
  no_preference: NoParams;
  no_rule_before: NoParams;

  // What a rule chooses.
  /** The requested model, or its replacement. */
  model_answers: { readonly model?: string };
  thread_continues: NoParams;
  role_answers: {
    readonly role: RoleName;
    readonly model: string;
    /** Why it is preferred. */
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
  name_mapped: ({ writtenAs, model }) => `${writtenAs} means ${model} (gateway.aliases)`,
  model_requested: ({ model }) => `${model} was asked for`,
  panel_member: ({ model }) => `${model} is one of the panel`,
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
  not_deep_tool: () => 'the tool is not one for deep analysis',
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
  no_rule_before: () => 'no other rule found an available model',

  model_answers: ({ model = 'it' }) => `${model} answers`,
  thread_continues: () => 'it continues',
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
