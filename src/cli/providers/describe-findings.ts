import type { ProviderFindings } from '#app/admin/examine-provider.ts';
import type { ProviderModel } from '#core/llm/provider.ts';
import type { NewProvider } from './new-provider.ts';

const MAX_SHOWN = 10;

/** What the user should know before the provider is stored. */
export function describeFindings(
  { name, preset, section }: NewProvider,
  baseUrl: string,
  { models, roles }: ProviderFindings,
  order: AutoOrder,
): readonly string[] {
  const title = preset?.title ?? name;
  return [
    `${title} at ${new URL(baseUrl).host}${preset?.state === 'untried' ? ' (untried: by its documentation, not by our tests)' : ''}`,
    ...describeModels(models, section.models ?? preset?.models.map(({ id }) => id) ?? []),
    ...(roles.length > 0 ? roles.map((role) => `Role: ${role}`) : ['Roles: none changes.']),
    `${describeOrder(order)} By name: ${name}/MODEL`,
  ];
}

/** The other providers that are set up, as `auto` asks them. */
export interface AutoOrder {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function describeOrder({ before, after }: AutoOrder): string {
  if (before.length > 0) return `auto asks it after ${before.join(', ')}.`;
  return after.length > 0
    ? `auto asks it first, before ${after.join(', ')}.`
    : 'auto asks it, as no other provider is set up.';
}

function describeModels(
  listed: readonly ProviderModel[] | undefined,
  chosen: readonly string[],
): readonly string[] {
  if (!listed) {
    return chosen.length > 0
      ? [`Models: ${chosen.join(', ')} (it has no list to compare)`]
      : ['Models: it has no list; name one with --model.'];
  }
  const order = (id: string) => (chosen.includes(id) ? chosen.indexOf(id) : chosen.length);
  const shown = listed.toSorted((one, other) => order(one.id) - order(other.id));
  const rows = shown.slice(0, MAX_SHOWN).map((model) => `  ${model.id}: ${priceOf(model)}`);
  const more = listed.length - rows.length;
  const unlisted = chosen.filter((id) => !listed.some((model) => model.id === id));
  return [
    ...(unlisted.length > 0 ? [`Not in its list: ${unlisted.join(', ')}`] : []),
    listed.length === 0 ? 'Models: none.' : `Models: ${listed.length}`,
    ...rows,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

const MICRO = 1_000_000;

/** Dollars for a million tokens, in and out. */
export function priceOf({ price }: Pick<ProviderModel, 'price'>): string {
  if (!price) return 'price unknown';
  if (price.input === 0 && price.output === 0) return 'free';
  return `$${price.input / MICRO} in, $${price.output / MICRO} out for a million tokens`;
}
