import type { Notice } from '#core/messages/notices.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { SamplingPolicy, ThinkingPolicy } from '#core/providers/assumption.ts';
import type { ModelPlan } from '#core/providers/kimi-plan.ts';

export type { SamplingPolicy, ThinkingPolicy } from '#core/providers/assumption.ts';

export type Modality = 'text' | 'image' | 'video' | 'file';

/** Micro-dollars for a million tokens. */
export interface Price {
  readonly input: number;
  /** Price of cached input. */
  readonly cached: number;
  readonly output: number;
  /** Prices of longer prompts, shortest first. */
  readonly tiers?: readonly PriceTier[];
  /** Price of input that stays in the vendor's cache for an hour; absent if it cannot. */
  readonly hourWrite?: number;
  /** Whether it was converted from another currency by a fixed rate. */
  readonly isEstimate?: true;
}

/** A price that applies to prompts of at least this many tokens. */
export interface PriceTier extends Pick<Price, 'input' | 'cached' | 'output'> {
  readonly fromInput: number;
}

/** A model of the catalogue. Decisions use these fields and never a model's name. */
export interface Model {
  readonly id: string;
  readonly provider: ProviderId;
  /** The plan that it belongs to; absent for a model of the vendor's platform. */
  readonly plan?: ModelPlan;
  readonly title: string;
  readonly state: 'live' | 'retired';
  /** Release day, `2026-07-16`. */
  readonly since?: string;
  /** Announced or past retirement day. */
  readonly until?: string;
  readonly successor?: string;
  readonly aliases: readonly string[];
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Absent if unknown. */
  readonly price?: Price;
  readonly input: readonly Modality[];
  readonly tools: 'no' | 'yes';
  /**
   * Supported tool choices: any; any unless it thinks; the same, and `required` also while it
   * thinks; or only `auto`.
   */
  readonly toolChoice: 'any' | 'unless_thinking' | 'required_thinking' | 'auto';
  /** Output format that the vendor enforces: none, valid JSON, or a schema. */
  readonly json: 'none' | 'object' | 'schema';
  readonly thinking: ThinkingPolicy;
  /** How long the vendor is asked to cache prompts; absent: as long as it usually does. */
  readonly cacheTtl?: '1h';
  /** How long it may think before its first token; absent: as usual for models that think. */
  readonly firstTokenMs?: number;
  readonly sampling: SamplingPolicy;
  readonly maxStops: number;
  /** Maximum size of one stop text in UTF-8; absent if there is none. */
  readonly maxStopBytes?: number;
  readonly maxTools: number;
  /** Whether it takes further tools in the middle of a conversation. */
  readonly dynamicTools?: true;
  /** Confidence in this data. */
  readonly confidence: 'high' | 'medium' | 'low';
}

/** Result of resolving a model name. */
export type ResolvedModel =
  | {
      readonly is: 'found';
      readonly model: Model;
      readonly notice?: Notice;
      /** Whether it is in no list and only its provider can know it. */
      readonly isOnTrust?: true;
    }
  /** No such model; `nearest` is a similar name. */
  | { readonly is: 'unknown'; readonly nearest?: string };

export interface Catalogue {
  /** Live models first, in order of providers. */
  readonly models: readonly Model[];
  /** By id or alias, ignoring case. A retired model resolves to its successor, with a notice. */
  resolve(name: string): ResolvedModel;
  /** By exact id, including retired models. */
  find(id: string, provider?: ProviderId): Model | undefined;
}
