import { custom } from './custom.ts';
import type { ProviderDescriptor } from './descriptor.ts';
import { glm } from './glm.ts';
import { kimi } from './kimi.ts';
import { local } from './local.ts';
import { openrouter } from './openrouter.ts';

/** Every provider, in the order of preference when nothing else decides. */
const LISTED = [
  kimi,
  glm,
  // The user's own server.
  custom,
  openrouter,
  // Quotes what was given, when no model answers.
  local,
] as const;

type Listed = (typeof LISTED)[number];

export type ProviderId = Listed['id'];
/** Providers with a section under `providers`. */
export type ConfiguredProviderId = Extract<Listed, { readonly settings: object }>['id'];
/** Providers with a limit of calls at once of their own. */
export type LimitedProviderId = Extract<Listed, { readonly limit: object }>['id'];

type Roles<Each> = Each extends { readonly roles: infer R } ? keyof R & string : never;
export type RoleName = Roles<Listed>;

/** Roles that a setting names the model of. */
type Settled<Each> = Each extends { readonly roles: infer R }
  ? { [Name in keyof R]: R[Name] extends { readonly setting: object } ? Name : never }[keyof R] &
      string
  : never;
export type RoleSetting = Settled<Listed>;

export interface Descriptor extends ProviderDescriptor {
  readonly id: ProviderId;
}

export const PROVIDERS: readonly Descriptor[] = LISTED;

const BY_ID = new Map<string, Descriptor>(PROVIDERS.map((each) => [each.id, each]));

export function descriptorOf(id: ProviderId): Descriptor {
  const found = BY_ID.get(id);
  if (!found) throw new TypeError(`There is no provider ${id}`);
  return found;
}

/** The provider of that name; nothing for another name. */
export function findProvider(name: string): Descriptor | undefined {
  return BY_ID.get(name);
}

export function isLimited(id: ProviderId): id is LimitedProviderId {
  return descriptorOf(id).limit !== undefined;
}

type Configured = Descriptor & {
  readonly id: ConfiguredProviderId;
  readonly settings: NonNullable<ProviderDescriptor['settings']>;
};

/** Providers with settings, those that need a key first: the order of settings, keys and reports. */
export const CONFIGURED_PROVIDERS: readonly Configured[] = (['key', 'address'] as const).flatMap(
  (needs) =>
    PROVIDERS.filter(
      (each): each is Configured => each.settings !== undefined && each.needs === needs,
    ),
);
