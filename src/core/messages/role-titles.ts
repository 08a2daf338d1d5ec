import { findProvider, PROVIDERS, type ProviderId, type RoleName } from '../providers/list.ts';

/** A link of a chain of models: a role, or the first model of a provider without roles. */
export type ChainLink = RoleName | ProviderId;

const ROLE_TITLES: ReadonlyMap<string, string> = new Map(
  PROVIDERS.flatMap(({ roles = {} }) =>
    Object.entries(roles).map(([name, { title, setting }]) => [
      name,
      title ?? setting?.env ?? name,
    ]),
  ),
);

/** What people call a role: the variable that sets its model, as a rule. */
export function roleTitle(role: RoleName): string {
  return ROLE_TITLES.get(role) ?? role;
}

export function linkTitle(link: ChainLink): string {
  const provider = findProvider(link);
  if (!provider) return ROLE_TITLES.get(link) ?? link;
  return provider.lists?.title ?? provider.title;
}
