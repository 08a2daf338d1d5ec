import type { Config } from '#config/schema/config.schema.ts';
import { splitKeys } from '#config/secrets/mask.ts';
import type { ProviderModel } from '#core/llm/provider.ts';
import { toAddedProviderId, type AddedProviderId } from '#core/providers/added.ts';
import type { Preset } from '#core/providers/presets/preset.ts';
import { findPreset } from '#core/providers/presets/presets.ts';
import type { AddedModels } from '#models/listed-model.ts';

/** A provider of `providers.added`, with what its preset supplies. */
export interface AddedProvider {
  readonly id: AddedProviderId;
  readonly title: string;
  readonly preset?: Preset;
  /** Empty if neither the settings nor the preset have one. */
  readonly baseUrl: string;
  /** All of its keys, without duplicates. */
  readonly keys: readonly string[];
  /** Its models for routing, best first; empty if they are to be listed. */
  readonly models: readonly ProviderModel[];
  readonly contextTokens: number;
  /** 0: only the global limit applies. */
  readonly maxCalls: number;
  /** What it lacks, and how to supply it. */
  readonly lacks?: { readonly what: 'key' | 'address'; readonly fix: string };
}

/** The providers that the user has added, in the order of their names. */
export function addedProviders({ providers }: Pick<Config, 'providers'>): readonly AddedProvider[] {
  return Object.entries(providers.added)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, entry]) => {
      const id = toAddedProviderId(name);
      return id ? [resolve(id, entry)] : [];
    });
}

type Entry = Config['providers']['added'][string];

function resolve(id: AddedProviderId, entry: Entry): AddedProvider {
  const preset = findPreset(entry.preset === '' ? id : entry.preset);
  const baseUrl = entry.baseUrl === '' ? (preset?.baseUrl ?? '') : entry.baseUrl;
  const keys = [...new Set([entry.apiKey, ...splitKeys(entry.otherKeys)])].filter(Boolean);
  const known = new Map<string, ProviderModel>(preset?.models.map((each) => [each.id, each]));
  const models = entry.models.map((name) => known.get(name) ?? { id: name });
  const lacks = lackOf(id, preset, baseUrl, keys);
  return {
    id,
    title: preset?.id === id ? preset.title : id,
    ...(preset && { preset }),
    baseUrl,
    keys,
    models: models.length > 0 ? models : (preset?.models ?? []),
    contextTokens: entry.contextTokens,
    maxCalls: entry.maxCalls,
    ...(lacks && { lacks }),
  };
}

function lackOf(
  id: string,
  preset: Preset | undefined,
  baseUrl: string,
  keys: readonly string[],
): AddedProvider['lacks'] {
  if (baseUrl === '') {
    const example = preset?.example ?? 'http://127.0.0.1:8000/v1';
    return { what: 'address', fix: `exai config set providers.added.${id}.baseUrl ${example}` };
  }
  if (preset?.key !== 'required' || keys.length > 0) return undefined;
  return { what: 'key', fix: `exai keys add ${id}` };
}

/** The models of added providers, for the catalogue. */
export function addedModels(config: Pick<Config, 'providers'>): readonly AddedModels[] {
  return addedProviders(config).map(({ id, models, preset }) => ({
    provider: id,
    models,
    unnamed: preset?.quirks ? 'none' : 'only_model',
  }));
}
