import type { Thinking } from '../llm/chat.ts';
import type { FilePurpose } from '../llm/file-purpose.ts';
import type { InlineRules, ModelAssumption } from './assumption.ts';

/** The key of a provider: `providers.<id>.apiKey`, and its row in `exai keys`. */
export interface ProviderKey {
  /** Title in lists of keys. */
  readonly title: string;
  /** Description of the setting: one sentence. */
  readonly about: string;
  /** Environment variables; the first one set wins. */
  readonly env: readonly [string, ...string[]];
  /** Where to get one. */
  readonly from: string;
}

/** The base URL of a provider: `providers.<id>.baseUrl`. */
export interface ProviderAddress {
  /** Empty if only the user knows it. */
  readonly default: string;
  readonly about: string;
  readonly env: readonly [string, ...string[]];
}

/** A routing role of the provider's models: `models.<role>`. */
export interface ProviderRole {
  /**
   * Names of models, in the order in which they are tried; the first is the default of the setting.
   */
  readonly models: readonly [string, ...string[]];
  readonly thinking?: Thinking;
  /** Name in explanations; default: the environment variable. */
  readonly title?: string;
  /** Absent for a role without its own setting. */
  readonly setting?: { readonly env: string; readonly about: string };
}

/** A service beside the models, such as a search: its name in attempts, and what one use costs at most. */
export interface PricedService {
  /** The lists of models (`models.allow`, `models.deny`) apply to it. */
  readonly name: string;
  readonly maxMicroUsd: number;
}

/** An endpoint that a user may look for. */
export interface UnusedEndpoint {
  readonly endpoint: string;
  /** A sentence. */
  readonly because: string;
}

/**
 * Describes a provider as data. Settings, keys, limits, roles, fallback chains, reports and checks
 * follow from it, so that no other file lists the providers.
 */
export interface ProviderDescriptor {
  readonly id: string;
  readonly title: string;
  /** What it requires. */
  readonly needs: 'key' | 'address' | 'nothing';
  /** Absent for a provider without settings. */
  readonly settings?: { readonly key: ProviderKey; readonly address: ProviderAddress };
  /**
   * `models.allow.<id>` and `models.deny.<id>`: whose models these are, and a pattern as an
   * example.
   */
  readonly lists?: { readonly title: string; readonly example: string };
  /** Concurrency limit, `limits.<id>`; absent if only the global limit applies. */
  readonly limit?: { readonly calls: number; readonly oldEnv?: string };
  readonly roles?: Readonly<Record<string, ProviderRole>>;
  /**
   * Last models of the fallback chains, for a provider without roles: those of its listing, or
   * these without one. The user's own server and OpenRouter have separate places in the chains.
   */
  readonly fallbackModels?: readonly string[];
  /** The vendor in the names of its models at OpenRouter: `moonshotai`. */
  readonly openRouterVendor?: string;
  /** Assumptions about undescribed models. */
  readonly assumed: ModelAssumption;
  /** Limits of files at the provider; absent for a provider without files. */
  readonly uploads?: {
    readonly maxBytes: number;
    /** Files of one account. */
    readonly maxFiles: number;
    /** Uploads at the same time. */
    readonly parallel: number;
    /** `extracted`: its models get the text that it extracts from an upload; default: the local one. */
    readonly documents?: 'extracted';
    /** Purposes by the names that clients use, such as OpenAI's `assistants`. */
    readonly purposes: Readonly<Record<string, FilePurpose>>;
  };
  /** Searches of the web and reading of pages without a chat. */
  readonly web?: { readonly search?: PricedService; readonly read?: PricedService };
  /** Endpoints of the vendor that EX-AI does not use, and why. */
  readonly unused?: readonly UnusedEndpoint[];
  /** Limits of inline media; kinds that are absent have none. */
  readonly inlineMedia?: InlineRules;
}
