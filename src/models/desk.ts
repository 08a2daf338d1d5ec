import type { ErrorClass } from '#core/error-class.ts';
import type { Ability, ProviderContext, ProviderId } from '#core/provider.ts';
import type { Model } from './model.ts';

export interface ProviderStanding {
  readonly id: ProviderId;
  readonly title: string;
  /** Whether it has what it needs to be asked: a key or an address. */
  readonly configured: boolean;
  /** Where it is; absent for the one that needs no network. */
  readonly host?: string;
  readonly can: readonly Ability[];
  /** How many calls it may have at once, where that is limited. */
  readonly maxCalls?: number;
  /** What to do so that it can be asked. */
  readonly fix?: string;
}

export interface ModelStanding {
  readonly model: Model;
  readonly usable: 'yes' | 'no';
  /** Why not, or what is unusual about it. */
  readonly because?: string;
  /** The roles it plays, by the names of their settings. */
  readonly roles: readonly string[];
}

/** What asking one provider for its models came to. */
export interface RefreshOutcome {
  readonly provider: ProviderId;
  readonly is: 'refreshed' | 'failed' | 'skipped';
  /** New, changed, missing: a sentence each. */
  readonly changes: readonly string[];
  readonly because?: string;
  readonly errorClass?: ErrorClass;
}

/** What is known of models and their providers, for the tools and commands that show it. */
export interface ModelDesk {
  providers(): readonly ProviderStanding[];
  /** Live ones first; `openrouter` and `custom` have only what a refresh found. */
  models(): readonly ModelStanding[];
  /** When the providers were last asked, and nothing if never. */
  refreshedAtMs(): number | undefined;
  /** Asks every provider that can be asked, and keeps what they say. */
  refresh(context: ProviderContext): Promise<readonly RefreshOutcome[]>;
}
