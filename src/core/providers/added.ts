import { OPENAI_COMPATIBLE } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';
import { findPreset, PRESETS } from './presets/presets.ts';

declare const added: unique symbol;

/** The id of a provider that the user has added: the name of its section in `providers.added`. */
export type AddedProviderId = string & { readonly [added]: true };

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Names that mean something else in front of a model, or in a setting. */
const RESERVED: ReadonlySet<string> = new Set([
  'kimi',
  'glm',
  'custom',
  'openrouter',
  'extractive',
  'added',
  'auto',
  'default',
  'local',
  'exai',
  'vision',
  'moonshot',
  'moonshotai',
  'zhipu',
  'zhipuai',
  'zai',
  'z-ai',
]);

export const ADDED_NAME_RULE =
  'must begin with a small letter and have small letters, digits, - and _ only, 40 at most';

/** Why a name cannot be that of an added provider; undefined if it can. */
export function addedNameProblem(name: string): 'shape' | 'reserved' | undefined {
  if (!NAME.test(name)) return 'shape';
  return RESERVED.has(name) ? 'reserved' : undefined;
}

/** The id with this name; undefined if no provider can have it. */
export function toAddedProviderId(name: string): AddedProviderId | undefined {
  return addedNameProblem(name) === undefined ? (name as AddedProviderId) : undefined;
}

/**
 * The descriptor of an added provider. It depends on its name alone: what the user has set is in
 * the configuration, and what a preset knows of models comes with the list of its models.
 */
export function describeAdded(id: AddedProviderId): ProviderDescriptor & {
  readonly id: AddedProviderId;
} {
  const preset = findPreset(id);
  return {
    id,
    title: preset?.title ?? id,
    needs: preset?.key === 'required' ? 'key' : 'address',
    assumed: ASSUMED,
  };
}

/** The usual window of a model whose provider does not tell; servers refuse what is too long. */
const ASSUMED = { ...OPENAI_COMPATIBLE, toolChoice: 'any', json: 'none' } as const;

/** Presets in the order of their ids, for messages. */
export const PRESET_IDS: readonly string[] = PRESETS.map(({ id }) => id);
