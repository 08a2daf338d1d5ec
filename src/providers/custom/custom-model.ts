import { CallError } from '#core/call-error.ts';
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

/** The id to ask for: the one that was named, the one of the settings, or the only one there is. */
export function customModelId(name: string, preset: string, { models }: Server): string {
  const wanted = DEFAULTS.has(name.trim().toLowerCase()) ? preset : name.trim();
  if (wanted !== '') {
    if (isModelName(wanted)) return wanted;
    throw new CallError('not_found', `"${oneLine(wanted, 80)}" cannot be the name of a model.`, {
      field: 'model',
    });
  }
  const [only, ...more] = models;
  if (only && more.length === 0) return only.id;
  const names = models.slice(0, 8).map(({ id }) => oneLine(id, 60));
  throw new CallError('not_configured', 'No model is set for the custom server.', {
    field: 'CUSTOM_MODEL',
    fix: `Set CUSTOM_MODEL${names.length > 0 ? ` to one of ${names.join(', ')}` : ' to the name of one'}.`,
  });
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
