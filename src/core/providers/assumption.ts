import type { Effort } from '../llm/chat.ts';

export interface ThinkingPolicy {
  /** Whether a request can switch it on and off. */
  readonly control: 'never' | 'switch' | 'always';
  readonly default: 'on' | 'off';
  /** Supported effort levels, weakest first; empty if it has none. */
  readonly efforts: readonly Effort[];
  /** Whether it can keep the reasoning of earlier turns. */
  readonly keeps: boolean;
}

export interface SamplingPolicy {
  /** `fixed`: the vendor accepts only its own value, so none is sent. */
  readonly temperature: 'fixed' | { readonly min: number; readonly max: number };
  readonly topP: 'fixed' | { readonly min: number; readonly max: number };
  readonly penalties: 'fixed' | { readonly min: number; readonly max: number };
}

/** Conservative assumptions about a model that neither the catalogue nor its provider describes. */
export interface ModelAssumption {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: 'no' | 'yes';
  readonly toolChoice: 'any' | 'unless_thinking' | 'auto';
  readonly json: 'none' | 'object' | 'schema';
  /** For a model that is known to think; for unknown ones see `silence`. */
  readonly thinking: ThinkingPolicy;
  /** Whether an undescribed model is assumed to think. */
  readonly silence: 'thinks' | 'does_not';
  readonly sampling: SamplingPolicy;
  readonly maxStops: number;
  /** Maximum size of one stop text in UTF-8. */
  readonly maxStopBytes?: number;
}

/** What a vendor accepts as inline bytes of one kind of media; it fetches URLs itself. */
export interface InlineRule {
  /** Accepted media types; empty if it accepts only URLs. */
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** Of the longer side of a picture. */
  readonly maxSidePixels?: number;
  /** A larger picture is scaled where that is possible, and else sent as it is. */
  readonly bestSidePixels?: number;
  /** Completes the sentence `it takes …`. */
  readonly takes: string;
  readonly fix: string;
}

export type InlineRules = Readonly<Partial<Record<'image' | 'video' | 'file', InlineRule>>>;

/** No thinking options, so none are sent that could be refused. */
export const UNTOUCHED_THINKING: ThinkingPolicy = {
  control: 'always',
  default: 'on',
  efforts: [],
  keeps: false,
};

export const NO_THINKING: ThinkingPolicy = {
  control: 'never',
  default: 'off',
  efforts: [],
  keeps: false,
};

export const FIXED_SAMPLING: SamplingPolicy = {
  temperature: 'fixed',
  topP: 'fixed',
  penalties: 'fixed',
};

/** Assumptions about a model of an OpenAI-compatible server. */
export const OPENAI_COMPATIBLE: ModelAssumption = {
  contextTokens: 32_768,
  maxOutputTokens: 8_192,
  tools: 'yes',
  toolChoice: 'auto',
  json: 'object',
  thinking: UNTOUCHED_THINKING,
  silence: 'does_not',
  sampling: {
    temperature: { min: 0, max: 2 },
    topP: { min: 0, max: 1 },
    penalties: { min: -2, max: 2 },
  },
  maxStops: 4,
};
