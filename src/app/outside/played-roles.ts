import type { Config } from '#config/config.schema.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { ListedModel, ModelCatalogue } from '#models/listed-model.ts';
import { resolveRole, ROLE_NAMES, withRoleModels, type RoleName } from '#models/roles.ts';

/** Who plays each role: the first of its models that the user's lists let in. Nobody, where they let none in. */
export function playedRoles(
  catalogue: ModelCatalogue,
  chosen: Config['models'],
  reasonAgainst: (model: ListedModel) => Reason | undefined,
): ReadonlyMap<RoleName, ListedModel> {
  const roles = withRoleModels(chosen);
  return new Map(
    ROLE_NAMES.flatMap((name) => {
      const { models } = resolveRole(catalogue, roles, name);
      const player = models.find((model) => reasonAgainst(model) === undefined);
      return player ? [[name, player] as const] : [];
    }),
  );
}
