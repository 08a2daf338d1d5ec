import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import type { ProviderModel } from '#core/llm/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { isModelName } from '#models/model-name.ts';
import type { Model } from '#models/model.ts';
import type { Server } from './probes.ts';

/** Names that stand for the configured model. */
const DEFAULTS: ReadonlySet<string> = new Set(['', 'custom', 'default']);
/** Limit where none is known; higher than likely, because the server decides. */
const MAX_OUTPUT_TOKENS = 65_536;

/**
 * The model id before the server was probed: the given name, else the one of the settings; empty
 * for neither.
 */
export function requestedModelId(name: string, preset: string): string {
  const trimmed = name.trim();
  const wanted = DEFAULTS.has(trimmed.toLowerCase()) ? preset.trim() : trimmed;
  if (wanted === '' || isModelName(wanted)) return wanted;
  throw new CallError('not_found', `"${oneLine(wanted, 80)}" cannot be the name of a model.`, {
    field: 'model',
  });
}

/** The model id to send: the requested one, or the only one that the server has. */
export function resolveCustomModelId(name: string, preset: string, { models }: Server): string {
  const wanted = requestedModelId(name, preset);
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
 * The model for the user's lists, with all names that may refer to it. Ollama accepts names without
 * `:latest` and with its library as a prefix; llama.cpp answers to any name with its only model.
 */
export function modelWithAliases(id: string, server?: Server): Model {
  const short = id.replace(/^(?:registry\.ollama\.ai\/)?(?:library\/)?/i, '');
  const bare = short.replace(/:latest$/i, '');
  const own = server?.flavour === 'llamacpp' ? server.models.map((model) => model.id) : [];
  const latest = bare.includes(':') ? [] : [`${bare}:latest`];
  const aliases = [...new Set([short, bare, ...latest, ...own])];
  return { ...assumeModel(id, 'custom'), aliases };
}

/** The properties of a model. Where its input types are unknown, the server decides. */
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
