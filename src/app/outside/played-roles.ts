import type { Config } from '#config/config.schema.ts';
import type { ModelCatalogue } from '#models/listed-model.ts';
import { resolveRole, ROLE_NAMES, withRoleModels } from '#models/roles.ts';

/** Which roles each model plays now, by its id. */
export function playedRoles(
  catalogue: ModelCatalogue,
  chosen: Config['models'],
): ReadonlyMap<string, readonly string[]> {
  const roles = withRoleModels(chosen);
  const played = new Map<string, string[]>();
  for (const name of ROLE_NAMES) {
    const [first] = resolveRole(catalogue, roles, name).models;
    if (first) played.set(first.id, [...(played.get(first.id) ?? []), name]);
  }
  return played;
}
