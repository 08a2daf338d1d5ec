import { CallError } from '#core/call-error.ts';
import { distinctNotices } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { ProviderId } from '#core/provider.ts';
import { CONFIGURED_PROVIDERS } from '#core/providers/list.ts';
import { listedReasons, permitted } from '#models/allow.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { endingSoon } from '#models/ending-soon.ts';
import { resolveRole, ROLE_NAMES, roleSetting, withRoleModels } from '#models/roles.ts';
import { playedRoles } from '../outside/played-roles.ts';
import type { Check, Examine } from './check.ts';

/** Whether the models of the settings are known, allowed, and here to stay. */
export const models: Examine = async ({ loaded, system }) => {
  if (loaded instanceof CallError) return [];
  const { models: chosen, providers } = loaded.config;
  const catalogue = createCatalogue();
  const isAsked = (id: ProviderId) =>
    CONFIGURED_PROVIDERS.some((each) => each.id === id && providers[each.id].apiKey !== '');
  const roles = withRoleModels(chosen);
  const played = ROLE_NAMES.map((name) => ({ name, ...resolveRole(catalogue, roles, name) }));
  const lists = { allow: chosen.allow, deny: chosen.deny };
  const first = new Map(
    [...playedRoles(catalogue, chosen, listedReasons(lists))].map(([name, { id }]) => [id, name]),
  );

  const unknown = distinctNotices(played.flatMap(({ notices }) => notices)).map((each): Check => ({
    ...ABOUT,
    status: 'warn',
    detail: baseRenderer.notice(each),
    fix: 'exai models lists the names that there are.',
  }));
  const today = new Date(system.clock.now()).toISOString().slice(0, 10);
  const ending = endingSoon(catalogue, today).flatMap(({ model, until, daysLeft }): Check[] => {
    const role = first.get(model.id);
    if (role === undefined || !isAsked(model.provider)) return [];
    const when = daysLeft < 0 ? `was to end on ${until}` : `ends on ${until}, in ${daysLeft} days`;
    const heir = model.successor === undefined ? '' : ` to ${model.successor}`;
    const detail = `${model.id}, the model of ${roleSetting(role)}, ${when}`;
    return [{ ...ABOUT, status: 'warn', detail, fix: `Set ${roleSetting(role)}${heir} in time.` }];
  });
  const troubles = [...unknown, ...listTroubles(catalogue.models, lists), ...ending];
  if (troubles.length > 0) return troubles;
  const live = catalogue.models.filter(({ state }) => state === 'live').length;
  return [{ ...ABOUT, status: 'ok', detail: `${live} known by name: exai models` }];
};

const ABOUT = { id: 'models', title: 'Models' };

function listTroubles(
  all: Parameters<typeof permitted>[0],
  lists: Parameters<typeof permitted>[1],
): readonly Check[] {
  try {
    return permitted(all, lists).notices.map((each) => ({
      ...ABOUT,
      status: 'warn' as const,
      detail: baseRenderer.notice(each),
      fix: 'Name at least one of them that exai models shows, or remove the list.',
    }));
  } catch (thrown) {
    const { message, fix = '' } = CallError.from(thrown);
    return [{ ...ABOUT, status: 'fail', detail: message, fix }];
  }
}
