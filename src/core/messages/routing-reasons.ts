import type { RoleName } from '../providers/list.ts';
import type { RequestClass } from '../route.ts';
import type { SentenceTable } from './coded.ts';
import { modelName, modelsText, type ModelGroup } from './model-groups.ts';
import type { NoParams, Reason } from './reasons.ts';
import { linkTitle, roleTitle, type ChainLink } from './role-titles.ts';

/** How a model was chosen: trials of rules, places in the chain, and what is said of a plan. */
export interface RoutingReasonParams {
  /** A rule applies and found a model. */
  rule_chose: {
    readonly applies: Reason;
    readonly choice: Reason;
    /** Those that the rule would rather have had. */
    readonly passedOver: readonly ModelGroup[];
  };
  /** A rule applies, and none of its models can be asked. */
  rule_without_model: { readonly applies: Reason; readonly models: readonly ModelGroup[] };
  /** A rule found another model than the one that was named, and no other may answer. */
  other_model_forbidden: NoParams;
  chosen_by_rule: { readonly number: number; readonly rule: string; readonly reason: Reason };
  rule_found_no_model: { readonly number: number; readonly rule: string; readonly reason: Reason };
  classified: {
    readonly class: RequestClass;
    /** 0 to 1. */
    readonly confidence: number;
    readonly reason: Reason;
  };
  /** A small model was asked what the request is. */
  classifier_asked: {
    readonly model?: string;
    readonly class: RequestClass;
    readonly confidence: number;
    /** Whether the web is searched. */
    readonly searches: boolean;
  };
  next_in_chain: { readonly class: RequestClass; readonly link: ChainLink };
  other_model_of_role: { readonly role: RoleName };
  quotation_last: NoParams;
  /** Remarks on a candidate. */
  recovering: NoParams;
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
  context_shortened: () => 'the context is shortened for its window',
  without_search: () => 'without a search',
  left_out: ({ provider, model, reason }, render) =>
    `${modelName({ provider, model })}: ${render.reason(reason)}`,
  embeddings_by_own_server: () => 'Your own server makes the embeddings',
  first_embedding_model: ({ model }) => `${model} is the first that makes embeddings`,
};

function sure(confidence: number): string {
  return `${Math.round(confidence * 100)} % sure`;
}
