import { CallError } from '#core/errors/call-error.ts';
import type { Thinking } from '#core/llm/chat.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import { PROVIDERS, type RoleName } from '#core/providers/list.ts';
import type { ListedModel, ModelCatalogue } from './listed-model.ts';

export type { RoleName } from '#core/providers/list.ts';

const PLAYED = PROVIDERS.flatMap(({ roles = {} }) => Object.entries(roles));

export const ROLE_NAMES: readonly RoleName[] = PLAYED.map(([name]) => name as RoleName);

/** A role of models: routing rules name roles, settings name the models. */
export interface Role {
  /** Names of models, in the order in which they are tried. */
  readonly models: readonly string[];
  /** Thinking options of the role, if any. */
  readonly thinking?: Thinking;
}

export type Roles = Readonly<Record<RoleName, Role>>;

export const DEFAULT_ROLES = Object.fromEntries(
  PLAYED.map(([name, { models, thinking }]): [string, Role] => [
    name,
    { models, ...(thinking && { thinking }) },
  ]),
) as Roles;

/** The default roles with the user's models first; the defaults stay as alternatives. */
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
  /** Distinct, in the order in which they are tried; at least one. */
  readonly models: readonly ListedModel[];
  readonly thinking?: Thinking;
  readonly notices: readonly Notice[];
}

/** The setting that names the model of a role; the manager uses that of `glmSpeed`. */
export function roleSetting(name: RoleName): string {
  return `models.${name === 'manager' ? 'glmSpeed' : name}`;
}

/**
 * Resolves the models of a role. Unknown names are skipped with a notice. The order is the user's,
 * then ours; listings do not change it.
 */
export function resolveRole(catalogue: ModelCatalogue, roles: Roles, name: RoleName): ResolvedRole {
  const role = roles[name];
  const models = new Map<string, ListedModel>();
  const notices: Notice[] = [];
  for (const wanted of role.models) {
    const resolved = catalogue.resolve(wanted);
    if (resolved.is === 'unknown') notices.push(unknownModel(name, wanted, resolved.nearest));
    else {
      const found = catalogue.find(resolved.model.id, resolved.model.provider);
      // The list of an added provider may be incomplete.
      const model: ListedModel = found ?? {
        ...resolved.model,
        asOf: '1970-01-01',
        origin: 'listed',
      };
      models.set(`${model.provider} ${model.id}`, model);
      if (resolved.notice !== undefined) notices.push(resolved.notice);
    }
  }
  if (models.size === 0) {
    throw new CallError('not_configured', `No model is known for ${roleSetting(name)}.`, {
      field: roleSetting(name),
      fixes: ['Set it to a model that there is, or remove it.', fix('list_models')],
    });
  }
  return {
    models: [...models.values()],
    ...(role.thinking && { thinking: role.thinking }),
    notices,
  };
}

function unknownModel(name: RoleName, wanted: string, nearest: string | undefined): Notice {
  return notice('role_model_unknown', {
    setting: roleSetting(name),
    name: oneLine(wanted, 80),
    ...(nearest !== undefined && { nearest }),
  });
}
