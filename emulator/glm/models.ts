import type { GlmSwitches } from './switches.ts';

export interface GlmModel {
  readonly id: string;
  readonly contextTokens: number;
  readonly maxTokens: number;
  /** How many pictures one message may have; 0 for a model that reads text alone. */
  readonly images: number;
  /** `always`: it cannot be turned off. */
  readonly thinking: 'none' | 'optional' | 'always';
  /** What becomes of `reasoning_effort`. */
  readonly effort: 'ignored' | 'folded' | 'strict';
  readonly temperature: number;
  readonly topP: number;
  readonly voice?: true;
}

const K = 1_024;

function model(
  id: string,
  contextTokens: number,
  maxTokens: number,
  more: Partial<GlmModel> = {},
): GlmModel {
  return {
    id,
    contextTokens,
    maxTokens,
    images: 0,
    thinking: 'optional',
    effort: 'ignored',
    temperature: 1,
    topP: 0.95,
    ...more,
  };
}

const vision = { temperature: 0.8, topP: 0.6, images: 50 } as const;

const LIST: readonly GlmModel[] = [
  model('glm-4.5', 131_072, 131_072, { temperature: 0.6 }),
  model('glm-4.5-air', 131_072, 98_304, { temperature: 0.6 }),
  model('glm-4.5-x', 131_072, 98_304, { temperature: 0.6 }),
  model('glm-4.5-airx', 131_072, 98_304, { temperature: 0.6 }),
  model('glm-4.5-flash', 131_072, 98_304, { temperature: 0.6 }),
  model('glm-4.5v', 64_000, 16 * K, vision),
  model('glm-4.6', 204_800, 131_072),
  model('glm-4.6v', 128_000, 32 * K, vision),
  model('glm-4.6v-flashx', 128_000, 32 * K, vision),
  model('glm-4.6v-flash', 128_000, 32 * K, vision),
  model('glm-4.7', 204_800, 131_072),
  model('glm-4.7-flashx', 200_000, 131_072),
  model('glm-4.7-flash', 200_000, 131_072),
  model('glm-5', 204_800, 131_072),
  model('glm-5-turbo', 204_800, 131_072),
  model('glm-5-code', 204_800, 131_072),
  model('glm-5.1', 200_000, 131_072),
  model('glm-5v-turbo', 200_000, 131_072, vision),
  model('glm-5.2', 1_000_000, 131_072, { effort: 'folded' }),
  model('glm-5.3', 1_048_576, 131_072, { thinking: 'always', effort: 'strict' }),
  model('glm-5.3-flash', 1_048_576, 131_072, { thinking: 'always', effort: 'strict', images: 50 }),
  model('glm-5.3-flashx', 1_048_576, 131_072, { thinking: 'always', effort: 'strict', images: 50 }),
  model('glm-4-32b-0414-128k', 128_000, 16 * K, { thinking: 'none' }),
  model('glm-4v-plus', 16_000, 4 * K, { ...vision, images: 5, thinking: 'none' }),
  model('glm-4v-flash', 16_000, 4 * K, { ...vision, images: 1, thinking: 'none' }),
  model('glm-4-voice', 16_000, 4 * K, { thinking: 'none', voice: true }),
];

const MODELS: ReadonlyMap<string, GlmModel> = new Map(LIST.map((one) => [one.id, one]));

/** Measured on bigmodel in September 2026: what its list had. */
const LISTED = [
  '4.5',
  '4.5-air',
  '4.6',
  '4.7',
  '5',
  '5-turbo',
  '5.1',
  '5.2',
  '5.3',
  '5.3-flash',
  '5.3-flashx',
];

export function findModel(id: string, switches: GlmSwitches): GlmModel | undefined {
  const found = MODELS.get(id.toLowerCase());
  if (found === undefined) return undefined;
  if (switches.oldVision === 'gone' && (found.id === 'glm-4v-plus' || found.id === 'glm-4.5v'))
    return undefined;
  if (found.id.startsWith('glm-4.6v')) return { ...found, maxTokens: switches.visionMaxTokens };
  return found;
}

export function modelList(): object {
  return {
    object: 'list',
    data: LISTED.map((name) => ({
      id: `glm-${name}`,
      object: 'model',
      created: 1_753_632_000,
      owned_by: 'z-ai',
    })),
  };
}

/** Measured on these three: a named tool is refused while they think. */
export const refusesNamedTool = (found: GlmModel): boolean => /^glm-4\.[567]$/.test(found.id);

/**
 * Models made for pictures, whose request has no `response_format` and, the 4.6v line aside, no
 * tools.
 */
export const isVisionLine = (found: GlmModel): boolean => /^glm-(4v|4\.5v|4\.6v|5v)/.test(found.id);
