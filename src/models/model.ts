import type { Notice } from '#core/messages/notices.ts';
import type { ProviderId } from '#core/provider.ts';
import type { SamplingPolicy, ThinkingPolicy } from '#core/providers/assumption.ts';

export type { SamplingPolicy, ThinkingPolicy } from '#core/providers/assumption.ts';

export type Modality = 'text' | 'image' | 'video' | 'file';

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
  | { readonly is: 'found'; readonly model: Model; readonly notice?: Notice }
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
