import { CallError } from '#core/errors/call-error.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { distinctNotices } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { CONFIGURED_PROVIDERS } from '#core/providers/list.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { filterPermitted, listedReasons } from '#models/model-lists.ts';
import { retiringSoon } from '#models/retiring-soon.ts';
import { resolveRole, ROLE_NAMES, roleSetting, withRoleModels } from '#models/roles.ts';
import { rolesOfModels } from '../providers/model-directory.ts';
import type { Check, RunCheck } from './check.ts';

/** Checks that the configured models are known, allowed and not about to be retired. */
export const checkModels: RunCheck = async ({ loaded, system }) => {
  if (loaded instanceof CallError) return [];
  const { models: chosen, providers } = loaded.config;
  const catalogue = createCatalogue();
  const isAsked = (id: ProviderId) =>
    CONFIGURED_PROVIDERS.some((each) => each.id === id && providers[each.id].apiKey !== '');
  const roles = withRoleModels(chosen);
  const played = ROLE_NAMES.map((name) => ({ name, ...resolveRole(catalogue, roles, name) }));
  const lists = { allow: chosen.allow, deny: chosen.deny };
  const first = new Map(
    [...rolesOfModels(catalogue, chosen, listedReasons(lists))].map(([name, { id }]) => [id, name]),
  );

  const unknown = distinctNotices(played.flatMap(({ notices }) => notices)).map((each): Check => ({
    ...ABOUT,
    status: 'warn',
    detail: baseRenderer.notice(each),
    fix: 'exai models lists the names that there are.',
  }));
  const today = new Date(system.clock.now()).toISOString().slice(0, 10);
  const ending = retiringSoon(catalogue, today).flatMap(({ model, until, daysLeft }): Check[] => {
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
  all: Parameters<typeof filterPermitted>[0],
  lists: Parameters<typeof filterPermitted>[1],
): readonly Check[] {
  try {
    return filterPermitted(all, lists).notices.map((each) => ({
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
