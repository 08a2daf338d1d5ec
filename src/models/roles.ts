import { CallError } from '#core/call-error.ts';
import type { Thinking } from '#core/chat.ts';
import { oneLine } from '#core/one-line.ts';
import type { ListedModel, ModelCatalogue } from './listed-model.ts';

export const ROLE_NAMES = [
  'kimiSpeed',
  'kimiQuality',
  'kimiDefault',
  'glmSpeed',
  'glmQuality',
  'vision',
  'manager',
] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

/** A part that a model plays, so that rules name the part and settings the model. */
export interface Role {
  /** Names of models, in the order in which they are tried. */
  readonly models: readonly string[];
  /** How the part wants it to think, where it has a wish. */
  readonly thinking?: Thinking;
}

export type Roles = Readonly<Record<RoleName, Role>>;

export const DEFAULT_ROLES: Roles = {
  kimiSpeed: { models: ['kimi-k2.6', 'kimi-k3'], thinking: { mode: 'off' } },
  kimiQuality: { models: ['kimi-k3', 'kimi-k2.6'] },
  kimiDefault: { models: ['kimi-k2.6', 'kimi-k3'] },
  glmSpeed: { models: ['glm-4.7-flash', 'glm-4.5-flash', 'glm-5.3-flash'] },
  glmQuality: { models: ['glm-5.3', 'glm-5.2'] },
  vision: { models: ['glm-4.6v', 'glm-5.3-flash'] },
  manager: { models: ['glm-4.7-flash', 'glm-4.5-flash'], thinking: { mode: 'off' } },
};

/** The defaults with the models that the user set in front; the defaults stay as alternatives. */
export function withRoleModels(
  chosen: Readonly<Partial<Record<RoleName, string | undefined>>>,
  roles: Roles = DEFAULT_ROLES,
): Roles {
  const entries = ROLE_NAMES.map((name) => {
    const first = (chosen[name] ?? (name === 'manager' ? chosen.glmSpeed : undefined))?.trim();
    const role = roles[name];
    return [name, first ? { ...role, models: [first, ...role.models] } : role] as const;
  });
  return Object.fromEntries(entries) as Roles;
}

export interface ResolvedRole {
  /** Each once, in the order in which they are tried; at least one. */
  readonly models: readonly ListedModel[];
  readonly thinking?: Thinking;
  readonly notices: readonly string[];
}

/** The setting that names the model of a role; the manager is whoever is quick at GLM. */
export function roleSetting(name: RoleName): string {
  return `models.${name === 'manager' ? 'glmSpeed' : name}`;
}

/**
 * The models of a role. Names that mean nothing are told and passed over. What a provider's list says moves nobody: the
 * order is the user's, then ours.
 */
export function resolveRole(catalogue: ModelCatalogue, roles: Roles, name: RoleName): ResolvedRole {
  const role = roles[name];
  const models = new Map<string, ListedModel>();
  const notices: string[] = [];
  for (const wanted of role.models) {
    const resolved = catalogue.resolve(wanted);
    if (resolved.is === 'unknown') notices.push(unknownText(name, wanted, resolved.nearest));
    else {
      const model = catalogue.find(resolved.model.id, resolved.model.provider);
      if (model) models.set(`${model.provider} ${model.id}`, model);
      if (resolved.notice !== undefined) notices.push(resolved.notice);
    }
  }
  if (models.size === 0) {
    throw new CallError('not_configured', `No model is known for ${roleSetting(name)}.`, {
      field: roleSetting(name),
      fix: `Set it to one of those that \`exai models\` shows, or remove it.`,
    });
  }
  return {
    models: [...models.values()],
    ...(role.thinking && { thinking: role.thinking }),
    notices,
  };
}

function unknownText(name: RoleName, wanted: string, nearest: string | undefined): string {
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `${roleSetting(name)} names "${oneLine(wanted, 80)}", which is not known.${hint}`;
}
