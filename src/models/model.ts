import type { Effort } from '#core/chat.ts';
import type { ProviderId } from '#core/provider.ts';

export type Modality = 'text' | 'image' | 'video' | 'file';

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

/** Micro-dollars for a million tokens. */
export interface Price {
  readonly input: number;
  /** Of the input, what came from the vendor's cache. */
  readonly cached: number;
  readonly output: number;
}

/** A model as the catalogue has it. Decisions read this and never a model's name. */
export interface Model {
  readonly id: string;
  readonly provider: ProviderId;
  readonly title: string;
  readonly state: 'live' | 'retired';
  /** Days, `2026-07-16`. */
  readonly since?: string;
  /** Announced or past. */
  readonly until?: string;
  readonly successor?: string;
  readonly aliases: readonly string[];
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Absent when nobody says. */
  readonly price?: Price;
  readonly input: readonly Modality[];
  readonly tools: 'no' | 'yes';
  /** Which choice of tool it follows: any, any while it does not think, or only `auto`. */
  readonly toolChoice: 'any' | 'unless_thinking' | 'auto';
  /** What it enforces on its side: nothing, valid JSON, or a schema. */
  readonly json: 'none' | 'object' | 'schema';
  readonly thinking: ThinkingPolicy;
  readonly sampling: SamplingPolicy;
  readonly maxStops: number;
  readonly maxTools: number;
  /** How sure we are of the figures. */
  readonly confidence: 'high' | 'medium' | 'low';
}

/** What became of a name. */
export type Resolved =
  | { readonly is: 'found'; readonly model: Model; readonly notice?: string }
  /** No such model, and the names that are near. */
  | { readonly is: 'unknown'; readonly nearest?: string };

export interface Catalogue {
  /** Live ones first, in the order of their providers. */
  readonly models: readonly Model[];
  /** By id or alias, case aside. A retired model gives its successor, and says so. */
  resolve(name: string): Resolved;
  /** By its very id, retired or not. */
  find(id: string, provider?: ProviderId): Model | undefined;
}
