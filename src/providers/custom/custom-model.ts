import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import type { ProviderId, ProviderModel } from '#core/llm/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { otherUse } from '#models/built-in.ts';
import { isModelName } from '#models/model-name.ts';
import type { Model } from '#models/model.ts';
import type { Server } from './probes.ts';
import type { ServerIdentity } from './server-identity.ts';

/** Names that stand for the configured model. */
const DEFAULTS: ReadonlySet<string> = new Set(['', 'default']);
/** Limit where none is known; higher than likely, because the server decides. */
const MAX_OUTPUT_TOKENS = 65_536;

/**
 * The model id before the server was probed: the given name, else the one of the settings; empty
 * for neither.
 */
export function requestedModelId(name: string, preset: string, provider: ProviderId): string {
  const trimmed = name.trim();
  const folded = trimmed.toLowerCase();
  const wanted = DEFAULTS.has(folded) || folded === provider ? preset.trim() : trimmed;
  if (wanted === '' || isModelName(wanted)) return wanted;
  throw new CallError('not_found', `"${oneLine(wanted, 80)}" cannot be the name of a model.`, {
    field: 'model',
  });
}

/** The model id to send: the requested one, else the first chat model of the server's list. */
export function resolveCustomModelId(
  name: string,
  preset: string,
  server: Server,
  identity: ServerIdentity,
): string {
  const wanted = requestedModelId(name, preset, identity.provider);
  if (wanted !== '') return wanted;
  const first = chatModels(server).at(0);
  if (first) return first.id;
  throw noModelError(server, identity);
}

/** The models of a server that answer questions; embedding models do not. */
export function chatModels({ models }: Pick<Server, 'models'>): readonly ProviderModel[] {
  return models.filter(({ id }) => otherUse(id) === undefined);
}

/** No model of the server can be asked. */
export function noModelError(
  { flavour, models }: Server,
  { subject, settings }: ServerIdentity,
): CallError {
  const names = models.slice(0, 8).map(({ id }) => oneLine(id, 60));
  const message =
    names.length === 0
      ? `${subject} has no model.`
      : `${subject} has no chat model, only ${names.join(', ')}.`;
  return new CallError('not_configured', message, {
    field: settings.model,
    ...(flavour === 'ollama'
      ? { fix: 'ollama pull llama3.2' }
      : { fixes: [fix('set_setting', { setting: settings.model, value: 'the name of one' })] }),
  });
}

/**
 * The model for the user's lists, with all names that may refer to it. Ollama accepts names without
 * `:latest` and with its library as a prefix; llama.cpp answers to any name with its only model.
 */
export function modelWithAliases(id: string, provider: ProviderId, server?: Server): Model {
  const short = id.replace(/^(?:registry\.ollama\.ai\/)?(?:library\/)?/i, '');
  const bare = short.replace(/:latest$/i, '');
  const own = server?.flavour === 'llamacpp' ? server.models.map((model) => model.id) : [];
  const latest = bare.includes(':') ? [] : [`${bare}:latest`];
  const aliases = [...new Set([short, bare, ...latest, ...own])];
  return { ...assumeModel(id, provider), aliases };
}

/** The properties of a model. Where its input types are unknown, the server decides. */
export function customModel(
  id: string,
  provider: ProviderId,
  facts: Partial<ProviderModel>,
  window: number | undefined,
): Model {
  const contextTokens = window ?? facts.contextTokens;
  const assumed = assumeModel(id, provider, {
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
