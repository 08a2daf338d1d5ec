import { CallError } from '#core/errors/call-error.ts';
import { EFFORTS } from '#core/llm/chat.ts';
import type { ProviderModel } from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Catalogue, Model } from '#models/model.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';

const MAX_MODELS = 5_000;

/** Reads the response of `GET /models`; missing or invalid fields are left out. */
export function readOpenRouterModels(json: unknown): readonly ProviderModel[] {
  return asList(asObject(json)?.['data'])
    .slice(0, MAX_MODELS)
    .map((entry) => readModel(asObject(entry) ?? {}))
    .filter((model) => model !== undefined);
}

function readModel(entry: Unknown): ProviderModel | undefined {
  const id = asText(entry['id']);
  if (id === undefined || id.length > 200) return undefined;
  const best = asObject(entry['top_provider']);
  const contextTokens = asCount(entry['context_length']) ?? asCount(best?.['context_length']);
  const maxOutputTokens = asCount(best?.['max_completion_tokens']);
  const takes = asObject(entry['architecture'])?.['input_modalities'];
  const knows = entry['supported_parameters'];
  const price = readPrice(asObject(entry['pricing']));
  return {
    id,
    ...(contextTokens && { contextTokens }),
    ...(maxOutputTokens && { maxOutputTokens }),
    ...(Array.isArray(takes) && {
      images: takes.includes('image'),
      video: takes.includes('video'),
    }),
    ...(Array.isArray(knows) && {
      tools: knows.includes('tools'),
      thinking: knows.includes('reasoning'),
    }),
    ...readReasoning(asObject(entry['reasoning'])),
    ...(price && { price }),
  };
}

/**
 * `mandatory`: the effort `none` is refused. `supported_efforts` has the strongest first; without a
 * list every effort is accepted.
 */
function readReasoning(
  reasoning: Unknown | undefined,
): Pick<ProviderModel, 'alwaysThinks' | 'efforts'> {
  if (typeof reasoning?.['mandatory'] !== 'boolean') return {};
  const named = reasoning['supported_efforts'];
  const efforts = Array.isArray(named)
    ? EFFORTS.filter((effort) => named.includes(effort))
    : EFFORTS;
  return { alwaysThinks: reasoning['mandatory'], efforts };
}

function readPrice(pricing: Unknown | undefined): ProviderModel['price'] | undefined {
  const input = microUsdPerMillion(pricing?.['prompt']);
  const output = microUsdPerMillion(pricing?.['completion']);
  const cached = microUsdPerMillion(pricing?.['input_cache_read']);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cached !== undefined && { cached }) };
}

/** `vendor/model`, optionally with a suffix (`:free`) or a leading `~` (`~z-ai/glm-latest`). */
const ID = /^~?[\w.-]{1,60}\/[\w.-]{1,120}(?::[\w-]{1,40}){0,3}$/;

/**
 * Resolves a model name at OpenRouter. Only its own form is accepted: `kimi-k2.6` is a model of
 * Kimi, `moonshotai/kimi-k2.6` the same at OpenRouter.
 */
export function resolveOpenRouterModel(
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

/** For a model without a description, OpenRouter decides on input types and output limit. */
function openToServer(model: Model, facts: ProviderModel | undefined): Model {
  return {
    ...model,
    maxOutputTokens: facts?.maxOutputTokens ?? facts?.contextTokens ?? MAX_OUTPUT_TOKENS,
    input:
      facts?.images === undefined ? ['text', 'image', 'video', 'file'] : withDocuments(model.input),
  };
}

/** OpenRouter reads documents itself, for any model. */
function withDocuments(input: Model['input']): Model['input'] {
  return input.includes('file') ? input : [...input, 'file'];
}

const MAX_OUTPUT_TOKENS = 131_072;

/** All names that a list may use for the model: with and without `~`, prefix and suffix. */
export function modelNameForms(id: string): readonly string[] {
  const bare = id.replace(/^~/, '');
  const short = bare.replace(/^openrouter\//i, '');
  const forms = [id, bare, short].flatMap((form) => [form, ...form.split(':', 1)]);
  return [...new Set(forms)];
}

/** Decimal places between dollars per token and micro-dollars per million tokens. */
const SHIFT = 12;
const MAX_CHARS = 40;
const MAX_EXPONENT = 30;

/**
 * Converts a price (`0.00000095` dollars per token) to whole micro-dollars per million tokens. The
 * decimal point is moved, so that no precision is lost. Nothing for variable prices (`-1`) and
 * invalid ones.
 */
export function microUsdPerMillion(perToken: unknown): number | undefined {
  const text = typeof perToken === 'number' ? String(perToken) : perToken;
  if (typeof text !== 'string' || text.length > MAX_CHARS) return undefined;
  const match = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim());
  const [, whole = '', part = '', exponent = '0'] = match ?? [];
  if (!match || whole + part === '' || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
  const shift = SHIFT - part.length + Number(exponent);
  const digits = BigInt(whole + part);
  const price = shift >= 0 ? digits * 10n ** BigInt(shift) : rounded(digits, 10n ** BigInt(-shift));
  return price <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(price) : undefined;
}

function rounded(digits: bigint, by: bigint): bigint {
  return (digits + by / 2n) / by;
}
