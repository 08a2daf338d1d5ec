import { isObject, type Dictionary } from '../is-object.ts';
import { sleep } from '../machine.ts';
import { createSwitches } from '../switches.ts';
import type { Ask, FaultAnswer, Reply, Vendor } from '../vendor.ts';
import { compose, limitOf, messagesOf } from './compose.ts';
import { embeddingsBody, readEmbeddings } from './embeddings.ts';
import { throughFaults } from '../openai/through-faults.ts';
import { modelOf } from '../openai/model-of.ts';
import { countPrompt } from '../openai/prompt.ts';
import { thinkAloud } from '../openai/budgeted-answer.ts';
import { speakStream, speakWhole, streamUsageOf, type Accent } from './speak.ts';

export const createLmstudioSwitches = () =>
  createSwitches(
    {
      /** An error may be a bare string or an object. */
      errors: 'bare' as 'bare' | 'nested',
      /**
       * Whether a model is loaded when it is asked for, and what a request is answered with when it
       * is not.
       */
      loading: 'on demand' as 'on demand' | 'by hand',
      notLoaded: 404 as number,
      /** How long loading takes. */
      loadMs: 0 as number,
      /** Whether thoughts are in the text or in a separate member. */
      reasoning: 'reasoning_content' as 'reasoning_content' | 'inline',
      /** Tokens are asked for when this is not empty. */
      token: '' as string,
    },
    {
      errors: ['bare', 'nested'],
      loading: ['on demand', 'by hand'],
      notLoaded: [404, 400],
      reasoning: ['reasoning_content', 'inline'],
    },
  );

export type LmstudioSwitches = ReturnType<typeof createLmstudioSwitches>['switches'];

interface StudioModel {
  readonly id: string;
  readonly type: 'llm' | 'vlm' | 'embeddings';
  readonly arch: string;
  readonly publisher: string;
  readonly compatibility: 'gguf' | 'mlx';
  readonly maxContextLength: number;
  readonly thinks: boolean;
}

const MODELS: readonly StudioModel[] = [
  {
    id: 'qwen3-4b',
    type: 'llm',
    arch: 'qwen3',
    publisher: 'qwen',
    compatibility: 'gguf',
    maxContextLength: 32_768,
    thinks: true,
  },
  {
    id: 'gemma-3-4b-it',
    type: 'vlm',
    arch: 'gemma3',
    publisher: 'google',
    compatibility: 'mlx',
    maxContextLength: 131_072,
    thinks: false,
  },
  {
    id: 'text-embedding-nomic-embed-text-v1.5',
    type: 'embeddings',
    arch: 'nomic-bert',
    publisher: 'nomic-ai',
    compatibility: 'gguf',
    maxContextLength: 2_048,
    thinks: false,
  },
];

const LOADED_AT_START = 'qwen3-4b';

export function createLmstudio(): Vendor<LmstudioSwitches> {
  const toggles = createLmstudioSwitches();
  const { switches } = toggles;
  let loaded = new Set([LOADED_AT_START]);
  let made = 0;

  const errorBody = (message: string): object => ({
    error:
      switches.errors === 'bare'
        ? message
        : { message, type: 'invalid_request_error', param: null, code: null },
  });
  const fail = (reply: Reply, status: number, message: string): Promise<void> =>
    reply.json(status, errorBody(message));

  /** The model, loaded by now; the first call to it waits for that. */
  async function load(
    ask: Ask,
    name: unknown,
  ): Promise<StudioModel | { readonly status: number; readonly problem: string }> {
    const model = MODELS.find(
      ({ id }) => id === (name === undefined || name === '' ? LOADED_AT_START : name),
    );
    if (model === undefined) return { status: 404, problem: `Model not found: ${String(name)}` };
    if (loaded.has(model.id)) return model;
    if (switches.loading === 'by hand')
      return {
        status: switches.notLoaded,
        problem:
          'No models loaded. Please load a model in the developer page or use the `lms load` command.',
      };
    if (switches.loadMs > 0) await sleep(switches.loadMs, ask.gone);
    loaded.add(model.id);
    return model;
  }

  async function chat(ask: Ask, reply: Reply): Promise<void> {
    const body = ask.json;
    if (!isObject(body)) return fail(reply, 400, 'Invalid JSON body');
    const messages = messagesOf(body);
    if (messages === undefined) return fail(reply, 400, "'messages' field is required");
    const model = await load(ask, body['model']);
    if ('problem' in model) return fail(reply, model.status, model.problem);
    if (model.type === 'embeddings') return fail(reply, 400, `${model.id} is an embedding model`);
    const prompt = countPrompt(messages, body['tools']).total;
    if (prompt >= model.maxContextLength)
      return fail(
        reply,
        400,
        `The number of tokens to keep from the initial prompt is greater than the context length (${prompt} >= ${model.maxContextLength}).`,
      );
    const room = model.maxContextLength - prompt;
    const said = compose({
      body,
      messages,
      thinks: model.thinks,
      maxTokens: Math.min(room, limitOf(body, 'max_tokens', 'max_completion_tokens') ?? room),
      fault: ask.fault,
    });
    made += 1;
    const accent: Accent = {
      id: `chatcmpl-${made.toString(36).padStart(22, '0')}`,
      created: Math.floor(ask.now() / 1_000),
      model: model.id,
      around: { system_fingerprint: model.id },
      last: {},
      always: { role: 'assistant' },
      reasoningKey: 'reasoning_content',
      calls: 'pieces',
      callIndex: 'absent',
      streamUsage: streamUsageOf(body['stream_options']),
      streamError: {
        data: errorBody('The model has crashed without additional information.'),
        name: 'error',
      },
      fault: ask.fault,
    };
    const spoken = {
      said: switches.reasoning === 'inline' ? thinkAloud(said) : said,
      promptTokens: prompt,
    };
    if (body['stream'] === true) return speakStream(reply, spoken, accent);
    if (ask.fault?.id === 'F11.error')
      return fail(reply, 500, 'The model has crashed without additional information.');
    return reply.json(200, { ...speakWhole(spoken, accent), stats: {} });
  }

  async function embeddings(ask: Ask, reply: Reply): Promise<void> {
    const requested = readEmbeddings(ask.json);
    if (typeof requested === 'string') return fail(reply, 400, requested);
    const model = await load(ask, requested.model);
    if ('problem' in model) return fail(reply, model.status, model.problem);
    return reply.json(200, embeddingsBody(requested, model.id, 768));
  }

  const richList = (): object => ({
    object: 'list',
    data: MODELS.map((model) => ({
      id: model.id,
      object: 'model',
      type: model.type,
      publisher: model.publisher,
      arch: model.arch,
      compatibility_type: model.compatibility,
      quantization: 'Q4_K_M',
      state: loaded.has(model.id) ? 'loaded' : 'not-loaded',
      max_context_length: model.maxContextLength,
    })),
  });

  const newerList = (): object => ({
    models: MODELS.map((model) => ({
      key: model.id,
      type: model.type === 'embeddings' ? 'embedding' : 'llm',
      loaded_instances: loaded.has(model.id) ? [{ id: model.id }] : [],
      max_context_length: model.maxContextLength,
      capabilities: {
        vision: model.type === 'vlm',
        trained_for_tool_use: model.type !== 'embeddings',
      },
    })),
  });

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    const { token } = switches;
    if (token !== '' && ask.headers['authorization'] !== `Bearer ${token}`)
      return reply.json(401, {
        error: {
          message: 'Invalid API token',
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_api_key',
        },
      });
    switch (`${ask.method} ${ask.path}`) {
      case 'GET /v1/models':
        return reply.json(200, {
          object: 'list',
          data: MODELS.map(({ id }): Dictionary => ({
            id,
            object: 'model',
            owned_by: 'organization_owner',
          })),
        });
      case 'GET /api/v0/models':
        return reply.json(200, richList());
      case 'GET /api/v1/models':
        return reply.json(200, newerList());
      case 'POST /v1/chat/completions':
        return chat(ask, reply);
      case 'POST /v1/embeddings':
        return embeddings(ask, reply);
      default:
        return reply.json(200, {
          error: `Unexpected endpoint or method. (${ask.method} ${ask.path})`,
        });
    }
  }

  const says =
    (status: number, message: (ask: Ask) => string): FaultAnswer =>
    async (ask, reply): Promise<'answered'> => {
      await fail(reply, status, message(ask));
      return 'answered';
    };

  return {
    name: 'lmstudio',
    prefix: '/lmstudio',
    switches,
    reset() {
      toggles.reset();
      loaded = new Set([LOADED_AT_START]);
      made = 0;
    },
    handle,
    faults: {
      ...throughFaults(),
      F1: says(429, () => 'Too many requests'),
      F3: says(503, () => 'The model is loading'),
      F10: says(404, (ask) => `Model not found: ${modelOf(ask.json)}`),
      F16: says(401, () => 'Invalid API token'),
    },
  };
}
