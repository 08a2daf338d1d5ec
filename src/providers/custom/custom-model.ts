import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import type { ProviderModel } from '#core/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { isModelName } from '#models/model-name.ts';
import type { Model } from '#models/model.ts';
import type { Server } from './probes.ts';

/** Names that mean: whichever the user set. */
const DEFAULTS: ReadonlySet<string> = new Set(['', 'custom', 'default']);
/** Far more than is likely, where nobody says: the server knows better than we do. */
const MAX_OUTPUT_TOKENS = 65_536;

/** The id that a name means before the server was looked at: the one that was named, or the one of the settings; empty for neither. */
export function wantedId(name: string, preset: string): string {
  const given = name.trim();
  const wanted = DEFAULTS.has(given.toLowerCase()) ? preset.trim() : given;
  if (wanted === '' || isModelName(wanted)) return wanted;
  throw new CallError('not_found', `"${oneLine(wanted, 80)}" cannot be the name of a model.`, {
    field: 'model',
  });
}

/** The id to ask for: the one that is wanted, or the only one there is. */
export function customModelId(name: string, preset: string, { models }: Server): string {
  const wanted = wantedId(name, preset);
  if (wanted !== '') return wanted;
  const [only, ...more] = models;
  if (only && more.length === 0) return only.id;
  const names = models.slice(0, 8).map(({ id }) => oneLine(id, 60));
  throw new CallError('not_configured', 'No model is set for the custom server.', {
    field: 'CUSTOM_MODEL',
    fixes: [
      fix('set_setting', {
        setting: 'CUSTOM_MODEL',
        value: names.length > 0 ? `one of ${names.join(', ')}` : 'the name of one',
      }),
    ],
  });
}

/**
 * The model as the user's lists see it, by every name that may mean it: Ollama takes names without their `:latest` and with its own
 * library before them, and llama.cpp answers to any name with the one model that it has.
 */
export function listedModel(id: string, server?: Server): Model {
  const short = id.replace(/^(?:registry\.ollama\.ai\/)?(?:library\/)?/i, '');
  const bare = short.replace(/:latest$/i, '');
  const own = server?.flavour === 'llamacpp' ? server.models.map((model) => model.id) : [];
  const latest = bare.includes(':') ? [] : [`${bare}:latest`];
  const aliases = [...new Set([short, bare, ...latest, ...own])];
  return { ...assumeModel(id, 'custom'), aliases };
}

/** What is known of a model; where nobody says what it takes, the server decides. */
export function customModel(
  id: string,
  facts: Partial<ProviderModel>,
  window: number | undefined,
): Model {
  const contextTokens = window ?? facts.contextTokens;
  const assumed = assumeModel(id, 'custom', {
    id,
    ...facts,
    ...(contextTokens !== undefined && { contextTokens }),
  });
  return {
    ...assumed,
    maxOutputTokens: facts.maxOutputTokens ?? contextTokens ?? MAX_OUTPUT_TOKENS,
    input:
      facts.images === undefined
        ? [...new Set([...assumed.input, 'image' as const])]
        : assumed.input,
  };
}
