import { notice, type Notice } from '#core/messages/notices.ts';
import type { ProviderId, ProviderModel } from '#core/llm/provider.ts';
import { otherUse } from './built-in.ts';
import { daysBetween } from './retiring-soon.ts';
import type { ListedModel, ModelCatalogue } from './listed-model.ts';
import { validListing } from './assume-model.ts';
import { isModelName } from './model-name.ts';
import { overlayKey, type Overlay, type OverlayEntry } from './overlay.ts';

export interface ModelChange {
  readonly is: 'new' | 'changed' | 'missing' | 'returned' | 'retired' | 'gone';
  readonly provider: ProviderId;
  readonly id: string;
  /** Changes, for the user. */
  readonly text: string;
}

export interface MergedListing {
  /** The new overlay of all providers, for `createCatalogue`. */
  readonly overlay: Overlay;
  readonly changes: readonly ModelChange[];
  readonly notices: readonly Notice[];
}

/** The longest real listing has a few hundred models. */
const MAX_LISTED = 2_000;
/** A model known only from a listing is dropped after it has been missing this long. */
const FORGOTTEN_AFTER_DAYS = 30;

/**
 * Merges a provider's model listing into the overlay. New models appear, context windows and prices
 * are updated, and missing models are marked but kept, as a listing may be incomplete.
 */
export function mergeListing(
  catalogue: ModelCatalogue,
  provider: ProviderId,
  listed: readonly ProviderModel[],
  atDay: string,
): MergedListing {
  const { usable, notices } = usableOf(provider, listed);
  if (usable.size === 0) {
    const nothing = notice('listing_empty', { provider });
    return { overlay: catalogue.overlay, changes: [], notices: [...notices, nothing] };
  }
  const seen = [...usable.values()].map((model) => ({
    ...validListing(model),
    provider,
    seenOn: atDay,
  }));
  const known = new Map(
    catalogue.overlay.map((entry) => [overlayKey(entry.provider, entry.id), entry]),
  );
  const missing = catalogue.models
    .filter((model) => model.provider === provider && !usable.has(model.id.toLowerCase()))
    .flatMap((model) => absent(model, known.get(overlayKey(provider, model.id)), atDay));
  const others = catalogue.overlay.filter((entry) => entry.provider !== provider);
  const overlay = [...others, ...seen, ...missing];
  const changes = changesBetween(catalogue, catalogue.withOverlay(overlay), provider);
  return { overlay, changes, notices };
}

function usableOf(provider: ProviderId, listed: readonly ProviderModel[]) {
  const usable = new Map<string, ProviderModel>();
  let unusable = 0;
  for (const model of listed.slice(0, MAX_LISTED)) {
    if (!isModelName(model.id)) unusable += 1;
    else if (otherUse(model.id) === undefined && !usable.has(model.id.toLowerCase())) {
      usable.set(model.id.toLowerCase(), model);
    }
  }
  const notices = [
    ...(unusable > 0 ? [notice('listing_names_invalid', { provider, count: unusable })] : []),
    ...(listed.length > MAX_LISTED
      ? [notice('listing_cut', { provider, count: listed.length, limit: MAX_LISTED })]
      : []),
  ];
  return { usable, notices };
}

/**
 * The entry of a model missing from the listing; undefined if it was known only from there and has
 * been missing for long.
 */
function absent(
  model: ListedModel,
  before: OverlayEntry | undefined,
  atDay: string,
): readonly OverlayEntry[] {
  const { provider, id, origin } = model;
  if (model.state === 'retired') return before ? [before] : [];
  const missingSince = before?.missingSince ?? atDay;
  const isForgotten =
    origin === 'listed' && daysBetween(missingSince, atDay) >= FORGOTTEN_AFTER_DAYS;
  return isForgotten ? [] : [{ ...before, provider, id, missingSince }];
}

function changesBetween(
  before: ModelCatalogue,
  after: ModelCatalogue,
  provider: ProviderId,
): readonly ModelChange[] {
  const now = after.models.filter((model) => model.provider === provider);
  const changes = now.flatMap((model) => changeOf(before.find(model.id, provider), model));
  const gone = before.models
    .filter((model) => model.provider === provider && !after.find(model.id, provider))
    .map(({ id }) => ({ is: 'gone' as const, provider, id, text: 'not listed for a month' }));
  return [...changes, ...gone];
}

function changeOf(before: ListedModel | undefined, now: ListedModel): readonly ModelChange[] {
  const { provider, id } = now;
  const change = (is: ModelChange['is'], text: string) => [{ is, provider, id, text }];
  if (!before) return change('new', `${now.contextTokens} tokens of context`);
  if (before.state === 'live' && now.state === 'retired') {
    return change('retired', 'not listed, and past its end');
  }
  if (before.missingSince === undefined && now.missingSince !== undefined) {
    return change('missing', 'not listed any more');
  }
  const isBack = before.missingSince !== undefined && now.missingSince === undefined;
  if (isBack || before.state !== now.state) return change('returned', 'listed again');
  const texts = differences(before, now);
  return texts.length === 0 ? [] : change('changed', texts.join(', '));
}

function differences(before: ListedModel, now: ListedModel): readonly string[] {
  const shown = [
    ['context', ({ contextTokens }: ListedModel) => contextTokens],
    ['output', ({ maxOutputTokens }: ListedModel) => maxOutputTokens],
    ['input', ({ input }: ListedModel) => input.toSorted().join('+')],
    ['tools', ({ tools }: ListedModel) => tools],
    ['price', ({ price }: ListedModel) => priceText(price)],
  ] as const;
  return shown
    .filter(([, of]) => of(before) !== of(now))
    .map(([name, of]) => `${name} ${of(before)} → ${of(now)}`);
}

function priceText(price: ListedModel['price']): string {
  return price ? `${price.input}/${price.cached}/${price.output}` : 'unknown';
}
