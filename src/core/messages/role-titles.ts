import { findProvider, PROVIDERS, type ProviderId, type RoleName } from '../providers/list.ts';

/** A link of a fallback chain: a role, or the first model of a provider without roles. */
export type RoleLink = RoleName | ProviderId;

const ROLE_TITLES: ReadonlyMap<string, string> = new Map(
  PROVIDERS.flatMap(({ roles = {} }) =>
    Object.entries(roles).map(([name, { title, setting }]) => [
      name,
      title ?? setting?.env ?? name,
    ]),
  ),
);

/** Display name of a role, usually the variable that sets its model. */
export function roleTitle(role: RoleName): string {
  return ROLE_TITLES.get(role) ?? role;
}

export function linkTitle(link: RoleLink): string {
  const provider = findProvider(link);
  if (!provider) return ROLE_TITLES.get(link) ?? link;
  return provider.lists?.title ?? provider.title;
}
