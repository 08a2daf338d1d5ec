import { describeAdded, toAddedProviderId, type AddedProviderId } from './added.ts';
import { custom } from './custom.ts';
import type { ProviderDescriptor } from './descriptor.ts';
import { glm } from './glm.ts';
import { kimi } from './kimi.ts';
import { extractive } from './extractive.ts';
import { openrouter } from './openrouter.ts';

/** All providers, in the default order of preference. */
const LISTED = [
  kimi,
  glm,
  // The user's own server.
  custom,
  openrouter,
  // Quotes passages when no model answers.
  extractive,
] as const;

type Listed = (typeof LISTED)[number];

/** Providers that are part of EX-AI. */
export type BuiltInProviderId = Listed['id'];
export type ProviderId = BuiltInProviderId | AddedProviderId;
/** Providers with a section under `providers`. */
export type ConfiguredProviderId = Extract<Listed, { readonly settings: object }>['id'];
/** Providers with their own concurrency limit. */
export type LimitedProviderId = Extract<Listed, { readonly limit: object }>['id'];

type Roles<Each> = Each extends { readonly roles: infer R } ? keyof R & string : never;
export type RoleName = Roles<Listed>;

/** Roles whose model is a setting. */
type Settled<Each> = Each extends { readonly roles: infer R }
  ? { [Name in keyof R]: R[Name] extends { readonly setting: object } ? Name : never }[keyof R] &
      string
  : never;
export type RoleSetting = Settled<Listed>;

export interface Descriptor extends ProviderDescriptor {
  readonly id: ProviderId;
}

interface BuiltInDescriptor extends ProviderDescriptor {
  readonly id: BuiltInProviderId;
}

/** The built-in providers; those that the user has added are in the settings. */
export const PROVIDERS: readonly BuiltInDescriptor[] = LISTED;

const BY_ID = new Map<string, Descriptor>(PROVIDERS.map((each) => [each.id, each]));

export function descriptorOf(id: ProviderId): Descriptor {
  const found = BY_ID.get(id) ?? findAdded(id);
  if (!found) throw new TypeError(`There is no provider ${id}`);
  return found;
}

function findAdded(name: string): Descriptor | undefined {
  const id = toAddedProviderId(name);
  return id && describeAdded(id);
}

/** The built-in provider with this id; undefined for another one. */
export function findProvider(name: string): Descriptor | undefined {
  return BY_ID.get(name);
}

/** A provider id of this form, built-in or added; undefined if no provider can have it. */
export function toProviderId(name: string): ProviderId | undefined {
  return BY_ID.get(name)?.id ?? toAddedProviderId(name);
}

export function isLimited(id: ProviderId): id is LimitedProviderId {
  return descriptorOf(id).limit !== undefined;
}

type Configured = BuiltInDescriptor & {
  readonly id: ConfiguredProviderId;
  readonly settings: NonNullable<ProviderDescriptor['settings']>;
};

/**
 * Providers with settings, those that need a key first; the order in settings, keys and reports.
 */
export const CONFIGURED_PROVIDERS: readonly Configured[] = (['key', 'address'] as const).flatMap(
  (needs) =>
    PROVIDERS.filter(
      (each): each is Configured => each.settings !== undefined && each.needs === needs,
    ),
);
