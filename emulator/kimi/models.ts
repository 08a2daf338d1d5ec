import { noModel } from './errors.ts';
import type { KimiSwitches } from './switches.ts';

export type KimiFamily =
  | 'v1'
  | 'latest'
  | 'preview'
  | 'k2'
  | 'k2-thinking'
  | 'k2.5'
  | 'k2.6'
  | 'k2.7'
  | 'k3';

export interface KimiModel {
  readonly id: string;
  readonly family: KimiFamily;
  readonly contextLength: number;
  readonly defaultCap: number;
  readonly sees: 'nothing' | 'images' | 'images and videos';
  /** `coding`: a model of the coding plan, which exists at its address alone. */
  readonly state: 'live' | 'v1' | 'retired' | 'coding';
  readonly created: number;
  /** Dollars for a million tokens: cached, other input, output. */
  readonly price: readonly [number, number, number];
}

const K = 1_024;

function define(
  id: string,
  family: KimiFamily,
  contextLength: number,
  price: readonly [number, number, number],
  more: Partial<KimiModel> = {},
): KimiModel {
  const defaultCap =
    { v1: K, latest: K, preview: K, k2: K, 'k2-thinking': 32 * K }[family as string] ?? 32 * K;
  return {
    id,
    family,
    contextLength,
    defaultCap,
    sees: 'nothing',
    state: 'live',
    created: 1_776_700_000,
    price,
    ...more,
  };
}

const gone = { state: 'retired' } as const;
const video = { sees: 'images and videos' } as const;
const v1 = { state: 'v1' } as const;
const v1Vision = { state: 'v1', sees: 'images' } as const;

const MODELS: readonly KimiModel[] = [
  define('kimi-k3.1-pro', 'k3', 1_048_576, [0.2, 2, 10], {
    ...video,
    defaultCap: 131_072,
    created: 1_791_000_000,
  }),
  define('kimi-k3.1-pro-highspeed', 'k3', 1_048_576, [0.2, 4, 20], {
    ...video,
    defaultCap: 131_072,
    created: 1_791_000_000,
  }),
  define('kimi-k3', 'k3', 1_048_576, [0.3, 3, 15], {
    ...video,
    defaultCap: 131_072,
    created: 1_784_160_000,
  }),
  define('kimi-k2.7-code', 'k2.7', 262_144, [0.19, 0.95, 4], { ...video, created: 1_780_000_000 }),
  define('kimi-k2.7-code-highspeed', 'k2.7', 262_144, [0.38, 1.9, 8], {
    ...video,
    created: 1_780_000_000,
  }),
  define('kimi-k2.6', 'k2.6', 262_144, [0.16, 0.95, 4], video),
  define('kimi-k2.5', 'k2.5', 262_144, [0.1, 0.6, 3], { ...gone, ...video }),
  define('kimi-k2-thinking', 'k2-thinking', 262_144, [0.15, 0.6, 2.5], gone),
  define('kimi-k2-thinking-turbo', 'k2-thinking', 262_144, [0.15, 1.15, 8], gone),
  define('kimi-k2-turbo-preview', 'k2', 262_144, [0.15, 1.15, 8], gone),
  define('kimi-k2-0905-preview', 'k2', 262_144, [0.15, 0.6, 2.5], gone),
  define('kimi-k2-0711-preview', 'k2', 131_072, [0.15, 0.6, 2.5], gone),
  define('kimi-thinking-preview', 'preview', 131_072, [30, 30, 30], { ...gone, sees: 'images' }),
  define('kimi-latest', 'latest', 131_072, [0.15, 2, 5], { ...gone, sees: 'images' }),
  define('moonshot-v1-8k', 'v1', 8_192, [0.2, 0.2, 2], v1),
  define('moonshot-v1-32k', 'v1', 32_768, [1, 1, 3], v1),
  define('moonshot-v1-128k', 'v1', 131_072, [2, 2, 5], v1),
  define('moonshot-v1-auto', 'v1', 131_072, [2, 2, 5], v1),
  define('moonshot-v1-8k-vision-preview', 'v1', 8_192, [0.2, 0.2, 2], v1Vision),
  define('moonshot-v1-32k-vision-preview', 'v1', 32_768, [1, 1, 3], v1Vision),
  define('moonshot-v1-128k-vision-preview', 'v1', 131_072, [2, 2, 5], v1Vision),
];

/** The coding plan has its own ids (MoonshotAI/kimi-code#636, maximhq/bifrost#3802) and no prices. */
const coding = { ...video, state: 'coding' } as const;
const CODING_MODELS: readonly KimiModel[] = [
  define('k3', 'k3', 1_048_576, [0, 0, 0], coding),
  define('k3-256k', 'k3', 262_144, [0, 0, 0], coding),
  define('kimi-for-coding', 'k2.7', 262_144, [0, 0, 0], coding),
  define('kimi-for-coding-highspeed', 'k2.7', 262_144, [0, 0, 0], coding),
];

export type KimiPlan = 'platform' | 'coding';

const BY_ID = new Map([...MODELS, ...CODING_MODELS].map((model) => [model.id, model]));

const isLive = (model: KimiModel, switches: KimiSwitches): boolean =>
  model.state === 'coding' ||
  (model.state === 'live' && (switches.k2Line === 'open' || !model.family.startsWith('k2'))) ||
  switches.retiredModels === 'live' ||
  (model.state === 'v1' && switches.moonshotV1 === 'live');

/** A model that is unknown or switched off is not found; here that is not a bad request. */
export function findModel(
  id: unknown,
  switches: KimiSwitches,
  plan: KimiPlan = 'platform',
): KimiModel {
  const model = typeof id === 'string' ? BY_ID.get(id) : undefined;
  const isOfPlan = (model?.state === 'coding') === (plan === 'coding');
  if (model === undefined || !isOfPlan || !isLive(model, switches))
    throw noModel(typeof id === 'string' ? id.slice(0, 200) : '');
  return model;
}

export function listModels(switches: KimiSwitches, plan: KimiPlan): object {
  const offered = plan === 'coding' ? CODING_MODELS : MODELS;
  return {
    object: 'list',
    data: offered
      .filter((model) => isLive(model, switches))
      .map((model) => ({
        id: model.id,
        object: 'model',
        created: model.created,
        owned_by: 'moonshot',
        permission: [],
        root: '',
        parent: '',
        context_length: model.contextLength,
        supports_image_in: model.sees !== 'nothing',
        supports_video_in: model.sees === 'images and videos',
        supports_reasoning: !['v1', 'latest', 'k2'].includes(model.family),
        ...(model.family === 'k3'
          ? {
              supports_dynamic_tools: true,
              supports_thinking_type: 'only',
              think_efforts: EFFORTS,
              reasoning_efforts: EFFORTS,
            }
          : {}),
      })),
  };
}

export const EFFORTS: readonly string[] = ['low', 'high', 'max'];
