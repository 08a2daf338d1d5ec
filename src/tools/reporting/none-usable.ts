import type { Reason } from '#core/messages/reasons.ts';
import type { ModelStanding, ProviderStanding } from '#models/desk.ts';

/**
 * Why no model of these providers can be used, and what to do; nothing when one can. The last resort, which no model is
 * behind, counts only where it is asked for by itself.
 */
export function noneUsable(
  providers: readonly ProviderStanding[],
  models: readonly ModelStanding[],
): string | undefined {
  const real = providers.filter(({ id }) => providers.length === 1 || id !== 'local');
  const isUsable = ({ id }: ProviderStanding) =>
    models.some(({ model, usable }) => model.provider === id && usable === 'yes');
  if (real.some(isUsable)) return undefined;

  const setUp = real.filter(({ configured }) => configured);
  if (setUp.length > 0) return setUp.map((provider) => reason(provider, models)).join('; ');
  const [first, second] = real.flatMap(({ fix }) => fix ?? []);
  if (first === undefined) return undefined;
  return second === undefined ? first : `${first}, or ${second}`;
}

function reason({ id, title }: ProviderStanding, models: readonly ModelStanding[]): string {
  const refused = models.filter(
    ({ model, obstacle }) => model.provider === id && obstacle === 'lists',
  );
  if (refused.length === 0) {
    return `no model of ${title} is known; exai models refresh asks for them`;
  }
  const settings = new Set(refused.flatMap(({ reason: why }) => settingOf(why)));
  const leave = settings.size === 1 ? 'leaves' : 'leave';
  return `${[...settings].join(' and ')} ${leave} no model of ${title} in use`;
}

/** The list that leaves a model out. */
function settingOf(why: Reason | undefined): readonly string[] {
  if (why?.code !== 'model_denied' && why?.code !== 'model_not_allowed') return [];
  return [why.params.setting];
}
