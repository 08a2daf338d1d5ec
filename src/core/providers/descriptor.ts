import type { Thinking } from '../chat.ts';
import type { InlineRules, ModelAssumption } from './assumption.ts';

/** The key of a provider: `providers.<id>.apiKey`, and its row in `exai keys`. */
export interface ProviderKey {
  /** The provider as the lists of keys name it. */
  readonly title: string;
  /** Description of the setting: one sentence. */
  readonly about: string;
  /** Environment variables, the first one winning. */
  readonly env: readonly [string, ...string[]];
  /** Page or person that gives one. */
  readonly from: string;
}

/** The address of a provider: `providers.<id>.baseUrl`. */
export interface ProviderAddress {
  /** Empty where only the user knows it. */
  readonly default: string;
  readonly about: string;
  readonly env: readonly [string, ...string[]];
}

/** A role that models of the provider play in routing: `models.<role>`. */
export interface ProviderRole {
  /** Names of models, in the order in which they are tried; the first is the default of the setting. */
  readonly models: readonly [string, ...string[]];
  readonly thinking?: Thinking;
  /** What explanations call it; the environment variable where absent. */
  readonly title?: string;
  /** Absent for a role without a setting of its own. */
  readonly setting?: { readonly env: string; readonly about: string };
}

/**
 * What is known about a provider before it is created, as data. Settings, keys, limits, roles, chains, reports and checks
 * follow from it, so that no other file lists the providers.
 */
export interface ProviderDescriptor {
  readonly id: string;
  readonly title: string;
  /** What it cannot be asked without. */
  readonly needs: 'key' | 'address' | 'nothing';
  /** Absent for a provider without settings. */
  readonly settings?: { readonly key: ProviderKey; readonly address: ProviderAddress };
  /** `models.allow.<id>` and `models.deny.<id>`: whose models these are, and a pattern as an example. */
  readonly lists?: { readonly title: string; readonly example: string };
  /** Calls at once, `limits.<id>`; absent where only the limit of all calls holds. */
  readonly limit?: { readonly calls: number; readonly oldEnv?: string };
  readonly roles?: Readonly<Record<string, ProviderRole>>;
  /**
   * Models that the chains end with, for a provider without roles: those of its list, or these where it has given none.
   * The user's own server and OpenRouter have places of their own in the chains.
   */
  readonly fallbackModels?: readonly string[];
  /** The vendor in the names of its models at OpenRouter: `moonshotai`. */
  readonly openRouterVendor?: string;
  /** What is assumed of models that nobody described. */
  readonly assumed: ModelAssumption;
  /** What it takes as bytes within a request; a kind that is absent is taken as it is. */
  readonly inlineMedia?: InlineRules;
}
