import type { Provider, ProviderModel } from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import type { AddedProviderId } from '#core/providers/added.ts';
import type { Preset, Quirks } from '#core/providers/presets/preset.ts';
import type { Secret } from '#core/secrets/secret.ts';
import { createAnthropic } from '../anthropic/anthropic.ts';
import { createCustom } from '../custom/custom.ts';
import { FLAVOUR, type Flavour } from '../custom/flavours.ts';
import type { ServerIdentity } from '../custom/server-identity.ts';
import type { ProviderDeps } from '../provider-deps.ts';

export interface AddedSettings {
  readonly id: AddedProviderId;
  readonly title: string;
  readonly preset?: Preset;
  readonly baseUrl: string;
  readonly key: Secret;
  /** Best first; the first is asked where none is named. */
  readonly models: readonly ProviderModel[];
  readonly contextTokens: number;
}

/** A provider that the user has added: a preset, or an OpenAI-compatible server at an address. */
export function createAdded(settings: AddedSettings, deps: ProviderDeps): Provider {
  const { id, title, preset, baseUrl, key, contextTokens } = settings;
  const facts = createFacts(settings);
  const quirks = preset?.quirks;
  const create = preset?.api === 'anthropic' ? createAnthropic : createCustom;
  const provider = create(
    {
      baseUrl,
      key,
      model: settings.models[0]?.id ?? '',
      contextTokens,
      identity: identityOf(id, title, preset),
      facts,
      ...(quirks && { flavour: flavourOf(quirks, title, preset) }),
      ...(preset?.key === 'required' && {
        keyNeeded: { fixes: [fix('add_key', { provider: id })] },
      }),
    },
    deps,
  );
  return preset?.listing === 'none' ? withoutListing(provider) : provider;
}

/** A provider whose list of models says nothing about what this user can ask. */
function withoutListing(provider: Provider): Provider {
  const rest: Provider = { ...provider };
  delete rest.models;
  return { ...rest, capabilities: provider.capabilities.filter((each) => each !== 'models') };
}

function identityOf(
  id: AddedProviderId,
  title: string,
  preset: Preset | undefined,
): ServerIdentity {
  const path = `providers.added.${id}`;
  return {
    provider: id,
    title,
    subject: preset || title !== id ? title : `The server ${id}`,
    settings: { url: `${path}.baseUrl`, key: `${path}.apiKey`, model: `${path}.models` },
  };
}

const FREE = { input: 0, cached: 0, output: 0 };

/** What the preset knows of a model beside its list. A server of one's own costs nothing. */
function createFacts({ preset, models }: AddedSettings): (model: string) => Partial<ProviderModel> {
  const known = new Map([...(preset?.models ?? []), ...models].map((each) => [each.id, each]));
  const common = preset && !preset.quirks ? { price: FREE } : {};
  return (model) => {
    const found = known.get(model);
    if (!found) return common;
    const { contextTokens, maxOutputTokens, images, price } = found;
    return {
      ...common,
      ...(contextTokens !== undefined && { contextTokens }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(images !== undefined && { images }),
      ...(price && { price }),
    };
  };
}

function flavourOf(quirks: Quirks, title: string, { api }: Pick<Preset, 'api'>): Flavour {
  const { limitField, keyHeader, toolChoice, formats, reasoning, efforts, streamUsage } = quirks;
  return {
    ...FLAVOUR.generic,
    title,
    toolChoice,
    formats,
    reasoning,
    efforts,
    thinkingOff: quirks.thinkingOff,
    streamUsage,
    limitField,
    maxStops: quirks.maxStops,
    // Signed thinking belongs to the turn that it led to.
    details: api === 'anthropic' ? 'keep' : 'drop',
    ...(keyHeader !== 'bearer' && { keyHeader }),
  };
}
