export interface RoutedModel {
  readonly id: string;
  readonly name: string;
  /** The list leaves it open for models that choose another. */
  readonly contextTokens: number | null;
  readonly maxTokens: number;
  readonly images: boolean;
  readonly thinks: boolean;
  readonly tools: boolean;
  /** Dollars for a million tokens. */
  readonly prices: { readonly input: number; readonly output: number };
  readonly providers: readonly string[];
  /** Reasoning cannot be disabled: the effort `none` is refused. */
  readonly mandatory?: true;
  /** The efforts that it takes, strongest first; all of them where there is no list. */
  readonly efforts?: readonly string[];
  readonly aliasOf?: string;
  /**
   * No provider serves it at the moment, so that a list of fallbacks has something to fall back from.
   */
  readonly isDown?: true;
}

const LIST: readonly RoutedModel[] = [
  {
    id: 'z-ai/glm-5.3',
    name: 'Z.AI: GLM 5.3',
    contextTokens: 1_048_576,
    maxTokens: 131_072,
    images: false,
    thinks: true,
    tools: true,
    prices: { input: 1.4, output: 4.4 },
    providers: ['Z.AI', 'Novita'],
  },
  {
    id: 'z-ai/glm-4.7-flash',
    name: 'Z.AI: GLM 4.7 Flash',
    contextTokens: 200_000,
    maxTokens: 131_072,
    images: false,
    thinks: true,
    tools: true,
    prices: { input: 0.07, output: 0.4 },
    providers: ['Novita'],
  },
  {
    id: 'z-ai/glm-4.5-air',
    name: 'Z.AI: GLM 4.5 Air',
    contextTokens: 131_072,
    maxTokens: 98_304,
    images: false,
    thinks: true,
    tools: true,
    prices: { input: 0.2, output: 1.1 },
    providers: ['Z.AI'],
  },
  {
    id: 'moonshotai/kimi-k2.6',
    name: 'MoonshotAI: Kimi K2.6',
    contextTokens: 262_144,
    maxTokens: 262_144,
    images: true,
    thinks: true,
    tools: true,
    prices: { input: 0.95, output: 4 },
    providers: ['Moonshot AI', 'Together'],
  },
  {
    id: 'moonshotai/kimi-k3',
    name: 'MoonshotAI: Kimi K3',
    contextTokens: 1_048_576,
    maxTokens: 131_072,
    images: true,
    thinks: true,
    tools: true,
    prices: { input: 3, output: 15 },
    providers: ['Moonshot AI'],
    mandatory: true,
    efforts: ['max', 'high', 'low'],
  },
  {
    id: 'meta-llama/llama-3.3-70b-instruct',
    name: 'Meta: Llama 3.3 70B Instruct',
    contextTokens: 131_072,
    maxTokens: 16_384,
    images: false,
    thinks: false,
    tools: true,
    prices: { input: 0.1, output: 0.32 },
    providers: ['DeepInfra', 'Groq'],
  },
  {
    id: 'emulated/small',
    name: 'Emulated: a small model without tools',
    contextTokens: 4_096,
    maxTokens: 2_048,
    images: false,
    thinks: false,
    tools: false,
    prices: { input: 0.01, output: 0.02 },
    providers: ['Emulated'],
  },
  {
    id: 'emulated/down',
    name: 'Emulated: a model that no provider serves',
    contextTokens: 32_768,
    maxTokens: 8_192,
    images: false,
    thinks: false,
    tools: true,
    prices: { input: 1, output: 1 },
    providers: ['Emulated'],
    isDown: true,
  },
  {
    id: 'openrouter/auto',
    name: 'Auto Router',
    contextTokens: null,
    maxTokens: 16_384,
    images: false,
    thinks: false,
    tools: true,
    prices: { input: 0.1, output: 0.32 },
    providers: ['DeepInfra'],
    aliasOf: 'meta-llama/llama-3.3-70b-instruct',
  },
  {
    id: '~z-ai/glm-latest',
    name: 'Z.AI: the latest GLM',
    contextTokens: 1_048_576,
    maxTokens: 131_072,
    images: false,
    thinks: true,
    tools: true,
    prices: { input: 1.4, output: 4.4 },
    providers: ['Z.AI'],
    aliasOf: 'z-ai/glm-5.3',
  },
];

const MODELS: ReadonlyMap<string, RoutedModel> = new Map(LIST.map((model) => [model.id, model]));

const SUFFIX = /:(free|extended|thinking|online|nitro|floor|exacto|beta)$/;

/** By its id, with or without one of the known endings; `:free` costs nothing. */
export function findRouted(id: string): RoutedModel | undefined {
  const ending = SUFFIX.exec(id)?.[0] ?? '';
  const found = MODELS.get(ending === '' ? id : id.slice(0, -ending.length));
  if (found === undefined) return undefined;
  const target = found.aliasOf === undefined ? found : (MODELS.get(found.aliasOf) ?? found);
  if (ending === ':free')
    return { ...target, id: `${target.id}:free`, prices: { input: 0, output: 0 } };
  return target;
}

const COMMON = ['max_tokens', 'temperature', 'top_p', 'stop', 'seed', 'response_format'];

export const routedList = (): object => ({
  links: { next: null },
  total_count: LIST.length,
  data: LIST.map((model) => ({
    id: model.id,
    canonical_slug: model.aliasOf ?? model.id,
    hugging_face_id: '',
    name: model.name,
    created: 1_785_000_000,
    description: `${model.name}, as the emulator has it.`,
    context_length: model.contextTokens,
    architecture: {
      modality: model.images ? 'text+image->text' : 'text->text',
      input_modalities: model.images ? ['text', 'image'] : ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: {
      prompt: perToken(model.prices.input),
      completion: perToken(model.prices.output),
      request: '0',
      image: '0',
      web_search: '0',
      internal_reasoning: '0',
    },
    top_provider: {
      context_length: model.contextTokens,
      max_completion_tokens: model.maxTokens,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: [
      ...COMMON,
      ...(model.tools ? ['tools', 'tool_choice'] : []),
      ...(model.thinks ? ['reasoning', 'include_reasoning'] : []),
    ],
    default_parameters: {},
    expiration_date: null,
    links: { details: `/api/v1/models/${model.aliasOf ?? model.id}/endpoints` },
    supported_voices: null,
    ...(model.thinks
      ? {
          reasoning: {
            mandatory: model.mandatory === true,
            default_enabled: true,
            supported_efforts: model.efforts ?? null,
          },
        }
      : {}),
    ...(model.id.startsWith('~') && model.aliasOf !== undefined
      ? { alias_target: { name: model.name, slug: model.aliasOf } }
      : {}),
  })),
});

/** Dollars for one token, as text without an exponent. */
const perToken = (perMillion: number): string =>
  (perMillion / 1_000_000).toFixed(12).replace(/0+$/, '').replace(/\.$/, '');
