import type { Notice } from '#core/messages/notices.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { Model, ResolvedModel } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';

/** The breaker state of a model. */
export interface ModelHealth {
  readonly is: 'closed' | 'half_open' | 'open';
  /** Why it is not closed. */
  readonly reason?: Reason;
  readonly retryInMs?: number;
  /** Whether a call may be forced through when no other model is left. */
  readonly isForcible?: boolean;
}

/** The current state that routing reads beside the request: roles, keys, health, budget. */
export interface RoutingState {
  /** The models of each role in the order they are tried. */
  readonly roles: Readonly<Record<RoleName, readonly Model[]>>;
  /** Problems with the model names configured for a role. */
  readonly roleNotices?: Readonly<Partial<Record<RoleName, readonly Notice[]>>>;
  /** Models of the user's own server, best first; empty without a server. */
  readonly custom: readonly Model[];
  /** OpenRouter's equivalent of a model; undefined without a key. */
  openrouter(like: Model): Model | undefined;
  /** Whether OpenRouter has a key; default: no. */
  readonly openrouterIs?: 'configured' | 'not_configured';
  /** Models of providers at the end of every fallback chain. */
  readonly fallbacks?: ReadonlyMap<ProviderId, readonly Model[]>;
  readonly extractiveModel: Model;
  /** Resolves a model name; a name that only OpenRouter or the user's server can know is theirs. */
  resolve(name: string): ResolvedModel;
  /** Why a model cannot be used at all: no key, excluded by a list, switched off. */
  obstacle(model: Model): Reason | undefined;
  health(model: Model): ModelHealth;
  /** `forced`: models whose open breakers let calls be forced through are eligible, too. */
  readonly openBreakers?: 'forced';
  /** Whether pictures over a limit are scaled; `missing`: the program for it is not installed. */
  readonly scaling?: 'ready' | 'missing';
  /** Whether its provider has web search. */
  canSearch(model: Model): boolean;
  /** Typical time to the first token, if known. */
  firstTokenMs(model: Model): number | undefined;
  /** Learned ratio of real to estimated tokens; 1 by default. */
  correction(model: Model): number;
  /** What this caller may still spend today; undefined without a limit. */
  readonly budget: { readonly leftMicroUsd: number; readonly reason: Reason } | undefined;
  /** What happens when the budget is used up. */
  readonly whenSpent: 'step_down' | 'refuse';
  readonly intelligentSelection: 'on' | 'off';
  /** The model for requests without one; usually `auto`. */
  readonly defaultModel: string;
  readonly extractiveFallback: 'text' | 'always' | 'never';
}
