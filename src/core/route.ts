import type { Effort } from './chat.ts';
import type { ErrorJson } from './call-error.ts';
import type { JsonObject } from './json.ts';
import type { Notice } from './messages/notices.ts';
import type { Reason } from './messages/reasons.ts';
import type { ProviderId } from './provider.ts';
import type { Category } from './tool.ts';

/** What a request is, as far as choosing a model goes. */
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

/** Where a tool that works in steps is. */
export interface StepFacts {
  /** Absent when the caller did not say. */
  readonly number?: number;
  readonly more: 'yes' | 'no' | 'unknown';
  readonly depth?: 'quick' | 'normal' | 'deep';
}

/** Pictures, videos or documents of one type whose bytes come along. */
export interface InlineMedia {
  readonly kind: 'image' | 'video' | 'file';
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** Of the largest, about. */
  readonly bytes: number;
  /** Where the largest stands: `messages[0].content[1]`. */
  readonly field: string;
}

/** Everything that choosing a model may look at of a request; never what it says. */
export interface RouteFacts {
  readonly tool: string;
  readonly category: Category;
  readonly affinity?: 'kimi' | 'glm';
  /** As the caller named it; absent for `auto`. */
  readonly model?: string;
  /** What the caller wrote, where the settings gave it a meaning: `model`, or `auto` without one. */
  readonly namedAs?: string;
  /** Of the thread that goes on. */
  readonly lockedModel?: string;
  readonly step?: StepFacts;
  /** Estimated, of everything that would be sent. */
  readonly tokens: number;
  /** Of these, what no fitting leaves out: instructions, tools and what is asked. Absent when that is all but the files. */
  readonly questionTokens?: number;
  /** The caller's limit of the answer. */
  readonly maxOutputTokens?: number;
  readonly files: {
    readonly count: number;
    readonly tokens: number;
    /** Of these, PDF and Office. */
    readonly documents: number;
    /** Of these, pictures of text. */
    readonly scans: number;
    /** Of these, those that the model gets as they are and not as text; none unless told. */
    readonly attached?: number;
  };
  readonly images: number;
  readonly videos: number;
  /** Of each kind and type one, and only so many; none where everything is text or has an address. */
  readonly inline?: readonly InlineMedia[];
  readonly search: 'on' | 'off' | 'auto';
  /** The words that ask for what is new. `weak` ones may mean something else. */
  readonly fresh?: { readonly words: string; readonly strength: 'strong' | 'weak' };
  readonly tools: number;
  /** Texts that end the answer. */
  readonly stops?: number;
  readonly format: 'text' | 'json' | 'json_schema';
  /** Of the letters in what is asked, those of Chinese, Japanese and Korean: 0 to 1. */
  readonly cjkShare: number;
  readonly locale: string;
  readonly hasCode: 'yes' | 'no';
  readonly prefer?: 'speed' | 'cost';
  readonly thinking?: ThinkingMode;
  readonly fallback: 'chain' | 'none';
  /** Whether the prompt may be made shorter; it may unless told. */
  readonly context?: 'whole';
  /** Whether a quotation of what was given will do when no model answers. */
  readonly lastResort: 'local' | 'none';
  /** What the caller will pay for this one. */
  readonly maxCostMicroUsd?: number;
}

/** One model that may be asked, in the order of the plan. */
export interface Candidate {
  readonly provider: ProviderId;
  readonly model: string;
  /** Why it has its place. */
  readonly reason: Reason;
  /** What should be known about asking it, such as that its context is shortened. */
  readonly remarks: readonly Reason[];
  readonly thinking?: { readonly mode: 'on' | 'off'; readonly effort?: Effort };
  /** Whether the provider is asked to search. */
  readonly search: 'provider' | 'none';
  /** Of the prompt, by its window and what the answer needs. */
  readonly roomTokens: number;
  /** The most it can cost; absent where nobody named a price. */
  readonly maxCostMicroUsd?: number;
  /** No model at all: what was given is quoted. */
  readonly isLastResort: boolean;
}

export interface RuleTrial {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly id: string;
  /** The condition, in words. */
  readonly when: string;
  readonly verdict: 'wins' | 'does_not_apply' | 'nobody_left';
  readonly reason: Reason;
}

export interface LeftOut {
  readonly provider: ProviderId;
  readonly model: string;
  readonly reason: Reason;
}

/** Who is asked, in which order, and why. Data: it can be printed, stored and compared. */
export interface RoutePlan {
  readonly class: RequestClass;
  /** 0 to 1: how sure the class is. */
  readonly confidence: number;
  /** The rule that won. */
  readonly rule: string;
  /** Most important first. */
  readonly reasons: readonly Reason[];
  readonly tried: readonly RuleTrial[];
  /** At least one. */
  readonly candidates: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
  /** What the caller should know: a retired name, a wish that could not be met. */
  readonly notices: readonly Notice[];
}

/** What would happen, without asking anybody. */
export interface Explanation {
  readonly facts: RouteFacts;
  /** Absent when nobody could be asked; then `error` says why. */
  readonly plan?: RoutePlan;
  readonly error?: ErrorJson;
  readonly tried: readonly RuleTrial[];
  readonly leftOut: readonly LeftOut[];
  /** What would be summarised or left out for the first candidate. */
  readonly context: readonly Notice[];
  /** The very request to the first candidate, without its key. */
  readonly payload?: { readonly url: string; readonly body: JsonObject };
  /** Why there is no payload, where one was wanted. */
  readonly noPayload?: string;
}
