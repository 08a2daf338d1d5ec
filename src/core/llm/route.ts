import type { Effort } from './chat.ts';
import type { ErrorJson } from '../errors/call-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { Notice } from '../messages/notices.ts';
import type { Reason } from '../messages/reasons.ts';
import type { ProviderId } from './provider.ts';
import type { Category } from '../tools/tool.ts';

/** Classes of requests that routing distinguishes. */
export const REQUEST_CLASSES = [
  'file_qa',
  'long_context',
  'web',
  'chat',
  'code',
  'agentic',
  'vision',
] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

export const THINKING_MODES = ['minimal', 'low', 'medium', 'high', 'max'] as const;
export type ThinkingMode = (typeof THINKING_MODES)[number];

/** Progress of a multi-step tool. */
export interface StepFacts {
  /** Absent if the caller did not say. */
  readonly number?: number;
  readonly more: 'yes' | 'no' | 'unknown';
  readonly depth?: 'quick' | 'normal' | 'deep';
}

/** Images, videos or documents of one media type whose bytes are in the request. */
export interface InlineMedia {
  readonly kind: 'image' | 'video' | 'file';
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** Approximate size of the largest. */
  readonly bytes: number;
  /** Path of the largest: `messages[0].content[1]`. */
  readonly field: string;
}

/** The facts of a request that routing may look at; never its text. */
export interface RouteFacts {
  readonly tool: string;
  readonly category: Category;
  readonly affinity?: 'kimi' | 'glm';
  /** Model requested by the caller; absent for `auto`. */
  readonly model?: string;
  /** The alias that the caller wrote, if the settings map it to `model`, or to `auto`. */
  readonly namedAs?: string;
  /** `panel`: the model is a member of a panel. */
  readonly namedBy?: 'panel';
  /** Model of the continued thread. */
  readonly lockedModel?: string;
  readonly step?: StepFacts;
  /** Estimated tokens of the whole prompt. */
  readonly tokens: number;
  /**
   * Of these, what must not be cut: instructions, tools and the question. Absent if that is
   * everything except the files.
   */
  readonly questionTokens?: number;
  /** The caller's output limit. */
  readonly maxOutputTokens?: number;
  readonly files: {
    readonly count: number;
    readonly tokens: number;
    /** Of these, PDF and Office documents. */
    readonly documents: number;
    /** Of these, scanned documents. */
    readonly scans: number;
    /** Of these, files sent to the model as they are, not as text; default: none. */
    readonly attached?: number;
  };
  readonly images: number;
  readonly videos: number;
  /** One entry per kind and media type, bounded; absent if there are no inline bytes. */
  readonly inline?: readonly InlineMedia[];
  readonly search: 'on' | 'off' | 'auto';
  /** Words that ask for current information. `weak` ones are ambiguous. */
  readonly fresh?: { readonly words: string; readonly strength: 'strong' | 'weak' };
  readonly tools: number;
  readonly format: 'text' | 'json' | 'json_schema';
  /** Share of Chinese, Japanese and Korean letters in the question: 0 to 1. */
  readonly cjkShare: number;
  readonly locale: string;
  readonly hasCode: boolean;
  readonly prefer?: 'speed' | 'cost';
  readonly thinking?: ThinkingMode;
  readonly fallback: 'chain' | 'none';
  /** `whole`: the prompt must not be shortened. */
  readonly context?: 'whole';
  /** Whether quoting passages is acceptable if no model answers. */
  readonly lastResort: 'local' | 'none';
  /** The caller's cost limit for this request. */
  readonly maxCostMicroUsd?: number;
}

/** One model of the fallback chain, in the order of the plan. */
export interface Candidate {
  readonly provider: ProviderId;
  readonly model: string;
  /** Why it is in the chain at this position. */
  readonly reason: Reason;
  /** Remarks on asking it, such as that the context is shortened. */
  readonly remarks: readonly Reason[];
  readonly thinking?: { readonly mode: 'on' | 'off'; readonly effort?: Effort };
  /** Whether the provider does a web search. */
  readonly search: 'provider' | 'none';
  /** Maximum prompt size: the context window minus the output reserve. */
  readonly roomTokens: number;
  /** Upper bound of the cost; absent if the price is unknown. */
  readonly maxCostMicroUsd?: number;
  /** The extractive fallback: no model, passages are quoted. */
  readonly isLastResort: boolean;
}

export interface RuleTrial {
  /** Position in the list of rules, from 1. */
  readonly number: number;
  readonly id: string;
  /** The condition, in words. */
  readonly when: string;
  readonly verdict: 'wins' | 'does_not_apply' | 'nobody_left';
  readonly reason: Reason;
}

export interface ExcludedCandidate {
  readonly provider: ProviderId;
  readonly model: string;
  readonly reason: Reason;
}

/**
 * The routing decision: which models are asked, in which order, and why. Plain data that can be
 * printed, stored and compared.
 */
export interface RoutePlan {
  readonly class: RequestClass;
  /** Confidence of the class, 0 to 1. */
  readonly confidence: number;
  /** The rule that matched. */
  readonly rule: string;
  /** Most important first. */
  readonly reasons: readonly Reason[];
  readonly tried: readonly RuleTrial[];
  /** At least one. */
  readonly candidates: readonly Candidate[];
  readonly leftOut: readonly ExcludedCandidate[];
  /** Notices for the caller: a retired model name, an option that could not be honoured. */
  readonly notices: readonly Notice[];
}

/** A dry run of routing: what would happen, without asking a model. */
export interface RouteExplanation {
  readonly facts: RouteFacts;
  /** Absent if no model is available; then `error` says why. */
  readonly plan?: RoutePlan;
  readonly error?: ErrorJson;
  readonly tried: readonly RuleTrial[];
  readonly leftOut: readonly ExcludedCandidate[];
  /** What would be summarised or cut for the first candidate. */
  readonly context: readonly Notice[];
  /** The exact request to the first candidate, without its key. */
  readonly payload?: { readonly url: string; readonly body: JsonObject };
  /** Why a requested payload is missing. */
  readonly noPayload?: string;
}
