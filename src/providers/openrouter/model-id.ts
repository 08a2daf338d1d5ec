import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import type { ProviderModel } from '#core/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Catalogue, Model } from '#models/model.ts';

/** `vendor/model`, perhaps with an ending (`:free`) or a `~` before it (`~z-ai/glm-latest`). */
const ID = /^~?[\w.-]{1,60}\/[\w.-]{1,120}(?::[\w-]{1,40}){0,3}$/;

/**
 * The model that a name means at OpenRouter. Only its own form of names will do: `kimi-k2.6` is a model of Kimi's, and
 * `moonshotai/kimi-k2.6` the same one here.
 */
export function routedModel(
  name: string,
  catalogue: Catalogue,
  listed: ReadonlyMap<string, ProviderModel>,
): Model {
  const trimmed = name.trim();
  const id = /^openrouter\/[^/]+\//i.test(trimmed) ? trimmed.slice('openrouter/'.length) : trimmed;
  if (!ID.test(id)) {
    throw new CallError('not_found', `OpenRouter has no model "${oneLine(name, 80)}".`, {
      field: 'model',
      fixes: [
        'Its models are called vendor/model, such as moonshotai/kimi-k2.6.',
        fix('list_models'),
      ],
    });
  }
  const [plain = id] = id.split(':', 1);
  const facts = listed.get(id) ?? listed.get(plain);
  const found = catalogue.find(id, 'openrouter') ?? catalogue.find(plain, 'openrouter');
  if (facts || !found) return openToServer(assumeModel(id, 'openrouter', facts), facts);
  return { ...found, id, input: withDocuments(found.input) };
}

/** Of a model that nobody described, OpenRouter decides what it takes and how much it writes. */
function openToServer(model: Model, facts: ProviderModel | undefined): Model {
  return {
    ...model,
    maxOutputTokens: facts?.maxOutputTokens ?? facts?.contextTokens ?? MAX_OUTPUT_TOKENS,
    input:
      facts?.images === undefined ? ['text', 'image', 'video', 'file'] : withDocuments(model.input),
  };
}

/** OpenRouter reads documents itself, whichever model answers. */
function withDocuments(input: Model['input']): Model['input'] {
  return input.includes('file') ? input : [...input, 'file'];
}

const MAX_OUTPUT_TOKENS = 131_072;

/** Every name by which a list may mean the model: with and without the mark, the prefix and the ending that it is asked for by. */
export function formsOf(id: string): readonly string[] {
  const bare = id.replace(/^~/, '');
  const short = bare.replace(/^openrouter\//i, '');
  const forms = [id, bare, short].flatMap((form) => [form, ...form.split(':', 1)]);
  return [...new Set(forms)];
}
