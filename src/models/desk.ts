import type { ErrorClass } from '#core/error-class.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { Ability, ProviderContext, ProviderId } from '#core/provider.ts';
import type { Model, Resolved } from './model.ts';

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
  /** What to do so that it can be asked: a command, or words that go on a sentence. */
  readonly fix?: string;
}

export interface ModelStanding {
  readonly model: Model;
  readonly usable: 'yes' | 'no';
  /** What stands in its way, when it cannot be used. */
  readonly obstacle?: 'switched_off' | 'not_set_up' | 'lists';
  /** Why not, or what is unusual about it. */
  readonly reason?: Reason;
  /** The day from which its provider's list has not had it. It may work all the same. */
  readonly unlistedSince?: string;
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
  /** What to do so that it can be asked, or answers. */
  readonly fix?: string;
  readonly errorClass?: ErrorClass;
}

/** What is known of models and their providers, for the tools and commands that show it. */
export interface ModelDesk {
  providers(): readonly ProviderStanding[];
  /** Live ones first; `openrouter` and `custom` have only what a refresh found. */
  models(): readonly ModelStanding[];
  /** The model that a name means, also one that only the settings name. */
  resolve(name: string): Resolved;
  /** When the providers were last asked, and nothing if never. */
  refreshedAtMs(): number | undefined;
  /** Asks every provider that can be asked, and keeps what they say. */
  refresh(context: ProviderContext): Promise<readonly RefreshOutcome[]>;
}
