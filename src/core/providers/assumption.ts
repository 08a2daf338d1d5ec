import type { Effort } from '../chat.ts';

export interface ThinkingPolicy {
  /** Whether a request may turn it on and off. */
  readonly control: 'never' | 'switch' | 'always';
  readonly default: 'on' | 'off';
  /** The efforts it knows, weakest first; none when it takes no such wish. */
  readonly efforts: readonly Effort[];
  /** Whether it can be told to keep what it thought in earlier turns. */
  readonly keeps: boolean;
}

export interface SamplingPolicy {
  /** `fixed`: the vendor refuses every value but its own, so none is sent. */
  readonly temperature: 'fixed' | { readonly min: number; readonly max: number };
  readonly topP: 'fixed' | { readonly min: number; readonly max: number };
  readonly penalties: 'fixed' | { readonly min: number; readonly max: number };
}

/** Properties assumed of a model that neither the catalogue nor its provider describes: too little rather than too much. */
export interface ModelAssumption {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: 'no' | 'yes';
  readonly toolChoice: 'any' | 'unless_thinking' | 'auto';
  readonly json: 'none' | 'object' | 'schema';
  /** For a model that is said to think; of one of which nothing is said, see `silence`. */
  readonly thinking: ThinkingPolicy;
  /** Whether a model of which nothing is said is taken for one that thinks. */
  readonly silence: 'thinks' | 'does_not';
  readonly sampling: SamplingPolicy;
  readonly maxStops: number;
}

/** What a vendor takes of one kind of media as bytes; it fetches what has an address itself. */
export interface InlineRule {
  /** Media types; none where it takes addresses alone. */
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** Goes on `it takes …`. */
  readonly takes: string;
  readonly fix: string;
}

export type InlineRules = Readonly<Partial<Record<'image' | 'video' | 'file', InlineRule>>>;

/** Nothing to switch, so nothing is sent that could be refused. */
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

/** A model behind a server that follows OpenAI's API and tells nothing about it. */
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
