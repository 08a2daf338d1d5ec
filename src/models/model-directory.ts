import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { Capability, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import type { Model, ResolvedModel } from './model.ts';

export interface ProviderStatus {
  readonly id: ProviderId;
  readonly title: string;
  /** Whether it has the required key or URL. */
  readonly configured: boolean;
  /** Host name; absent if it needs no network. */
  readonly host?: string;
  readonly can: readonly Capability[];
  /** Limit of concurrent calls, if any. */
  readonly maxCalls?: number;
  /** Present if `network.offline` is on and it is on another machine. */
  readonly isOffline?: true;
  /** How to configure it: a command, or the end of a sentence. */
  readonly fix?: string;
  /** What it lacks, if it is not configured. */
  readonly lacks?: 'key' | 'address';
  /** For a provider that the user has added: the state of its preset, or `own` without one. */
  readonly added?: 'tested' | 'untried' | 'own';
}

export interface ModelStatus {
  readonly model: Model;
  readonly isUsable: boolean;
  /** Why it cannot be used, as a code. */
  readonly obstacle?: 'switched_off' | 'not_set_up' | 'lists';
  /** Why it cannot be used, or a remark. */
  readonly reason?: Reason;
  /** First day it was missing from its provider's listing. It may still work. */
  readonly unlistedSince?: string;
  /** Its roles, by the names of their settings. */
  readonly roles: readonly string[];
}

/** Outcome of refreshing the models of one provider. */
export interface RefreshOutcome {
  readonly provider: ProviderId;
  readonly is: 'refreshed' | 'failed' | 'skipped';
  /** New, changed and missing models, one sentence each. */
  readonly changes: readonly string[];
  readonly because?: string;
  /** How to fix it. */
  readonly fix?: string;
  readonly errorClass?: ErrorClass;
}

/** Directory of models and providers with their status, for tools and commands. */
export interface ModelDirectory {
  providers(): readonly ProviderStatus[];
  /** Live models first; those of `openrouter` and `custom` come from refreshes only. */
  models(): readonly ModelStatus[];
  /** Resolves a model name, including names that only the settings define. */
  resolve(name: string): ResolvedModel;
  /** Time of the last refresh; undefined if never. */
  refreshedAtMs(): number | undefined;
  /** Fetches and saves the listings of all available providers, or of one alone. */
  refresh(context: ProviderContext, only?: ProviderId): Promise<readonly RefreshOutcome[]>;
}
