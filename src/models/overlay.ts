import type { ProviderId } from '#core/llm/provider.ts';
import { assumeModel, type ValidListing } from './assume-model.ts';
import type { ListedModel } from './listed-model.ts';
import type { Modality } from './model.ts';

/** What a provider's listing said about a model, and when. Days are `2026-11-15`. */
export interface OverlayEntry extends ValidListing {
  readonly provider: ProviderId;
  /** Last day it was listed. */
  readonly seenOn?: string;
  /** First day it was missing. */
  readonly missingSince?: string;
}

/** Facts from listings, stored as JSON between runs. */
export type Overlay = readonly OverlayEntry[];

/** Key of a model, ignoring case. */
export function overlayKey(provider: ProviderId, id: string): string {
  return `${provider} ${id.toLowerCase()}`;
}

/** The built-in models with corrections from the listings, then those only in the listings. */
export function applyOverlay(
  models: readonly ListedModel[],
  overlay: Overlay,
): readonly ListedModel[] {
  const entries = new Map(overlay.map((entry) => [overlayKey(entry.provider, entry.id), entry]));
  const corrected = models.map((model) => {
    const key = overlayKey(model.provider, model.id);
    const entry = entries.get(key);
    entries.delete(key);
    return entry ? correct(model, entry) : model;
  });
  return [...corrected, ...[...entries.values()].map(fromList)];
}

function fromList(entry: OverlayEntry): ListedModel {
  const asOf = entry.seenOn ?? entry.missingSince ?? '1970-01-01';
  const model = assumeModel(entry.id, entry.provider, entry);
  return { ...model, asOf, origin: 'listed', ...missing(entry) };
}

function correct(model: ListedModel, entry: OverlayEntry): ListedModel {
  const { seenOn, missingSince } = entry;
  if (missingSince !== undefined) {
    // Retired if its end was announced and it is no longer listed; a missing entry alone proves
    // nothing.
    const isOver = model.until !== undefined && model.until <= missingSince;
    return isOver ? { ...model, state: 'retired' } : { ...model, ...missing(entry) };
  }
  const told = withFacts(model, entry, seenOn ?? model.asOf);
  if (seenOn === undefined || model.state === 'live') return told;
  const { until: _until, reason: _reason, ...revived } = told;
  return {
    ...revived,
    state: 'live',
    note: `${model.provider} listed it again on ${seenOn}.`,
  };
}

function missing({ provider, missingSince }: OverlayEntry): Partial<ListedModel> {
  if (missingSince === undefined) return {};
  const note = `${provider} has not listed it since ${missingSince}; it may be switched off.`;
  return { missingSince, note };
}

function withFacts(model: ListedModel, facts: OverlayEntry, asOf: string): ListedModel {
  const contextTokens = facts.contextTokens ?? model.contextTokens;
  const maxOutputTokens = facts.maxOutputTokens ?? model.maxOutputTokens;
  return {
    ...model,
    asOf,
    contextTokens,
    maxOutputTokens: Math.min(contextTokens, maxOutputTokens),
    ...(facts.price && { price: facts.price }),
    input: withModality(withModality(model.input, 'image', facts.images), 'video', facts.video),
    tools: facts.tools === undefined ? model.tools : facts.tools ? 'yes' : 'no',
  };
}

function withModality(
  input: readonly Modality[],
  modality: Modality,
  told: boolean | undefined,
): readonly Modality[] {
  if (told === undefined || told === input.includes(modality)) return input;
  return told ? [...input, modality] : input.filter((each) => each !== modality);
}
