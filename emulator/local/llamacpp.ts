import { isObject, type Dictionary } from '../is-object.ts';
import { createSwitches } from '../switches.ts';
import { countTokens } from '../tokens.ts';
import type { Ask, FaultAnswer, Reply, Vendor } from '../vendor.ts';
import { compose, limitOf, messagesOf } from './compose.ts';
import { embeddingsBody, readEmbeddings } from './embeddings.ts';
import { throughFaults } from '../openai/through-faults.ts';
import { countPrompt } from '../openai/prompt.ts';
import { speakStream, speakWhole, streamUsageOf, type Accent } from './speak.ts';

export const createLlamacppSwitches = () =>
  createSwitches(
    {
      nCtx: 8_192 as number,
      /** While the model loads, everything is 503. */
      health: 'ok' as 'ok' | 'loading',
      /** Tools need the template engine. */
      jinja: 'on' as 'on' | 'off',
      vision: 'off' as 'on' | 'off',
      batchSize: 512 as number,
      /** `--api-key`; empty for none. */
      apiKey: '' as string,
    },
    { health: ['ok', 'loading'], jinja: ['on', 'off'], vision: ['on', 'off'] },
  );

export type LlamacppSwitches = ReturnType<typeof createLlamacppSwitches>['switches'];

const MODEL = 'emulated-8b-q4_k_m.gguf';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  503: 'unavailable_error',
};

const errorBody = (code: number, message: string): object => ({
  error: { code, message, type: TYPES[code] ?? 'server_error' },
});

const tooLong = (tokens: number, nCtx: number): object => ({
  error: {
    code: 400,
    message: `request (${tokens} tokens) exceeds the available context size (${nCtx} tokens), try increasing it`,
    type: 'exceed_context_size_error',
    n_prompt_tokens: tokens,
    n_ctx: nCtx,
  },
});

export function createLlamacpp(): Vendor<LlamacppSwitches> {
  const toggles = createLlamacppSwitches();
  const { switches } = toggles;
  let made = 0;

  const fail = (reply: Reply, status: number, message: string): Promise<void> =>
    reply.json(status, errorBody(status, message));

  async function chat(ask: Ask, reply: Reply): Promise<void> {
    const body = ask.json;
    if (!isObject(body)) return fail(reply, 500, '[json.exception.parse_error.101] parse error');
    const messages = messagesOf(body);
    if (messages === undefined) return fail(reply, 400, "'messages' is required");
    if (switches.jinja === 'off' && Array.isArray(body['tools']) && body['tools'].length > 0)
      return fail(reply, 500, 'tools param requires --jinja flag');
    if (switches.vision === 'off' && hasImage(messages))
      return fail(
        reply,
        500,
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      );
    const prompt = countPrompt(messages, body['tools']).total;
    if (prompt >= switches.nCtx) return reply.json(400, tooLong(prompt, switches.nCtx));
    const room = switches.nCtx - prompt;
    const said = compose({
      body,
      messages,
      thinks: thinks(body),
      maxTokens: Math.min(
        room,
        limitOf(body, 'max_completion_tokens', 'max_tokens', 'n_predict') ?? room,
      ),
      fault: ask.fault,
    });
    made += 1;
    const accent: Accent = {
      id: `chatcmpl-${made.toString(36).padStart(32, '0')}`,
      created: Math.floor(ask.now() / 1_000),
      // One model, whatever it is called.
      model: typeof body['model'] === 'string' ? body['model'] : MODEL,
      around: { system_fingerprint: 'b6700-emulated' },
      last: {
        timings: {
          cache_n: 0,
          prompt_n: prompt,
          prompt_ms: prompt / 10,
          prompt_per_second: 10_000,
          predicted_n: said.outputTokens,
          predicted_ms: said.outputTokens,
          predicted_per_second: 1_000,
        },
      },
      opening: { role: 'assistant', content: null },
      always: {},
      reasoningKey: 'reasoning_content',
      calls: 'pieces',
      callIndex: 'absent',
      streamUsage: streamUsageOf(body['stream_options']),
      streamError: { data: errorBody(500, 'Compute error.') },
      fault: ask.fault,
    };
    const spoken = { said, promptTokens: prompt };
    if (body['stream'] === true)
      return speakStream(reply, spoken, withProgress(accent, body, prompt));
    if (ask.fault?.id === 'F11.error') return fail(reply, 500, 'Compute error.');
    return reply.json(200, speakWhole(spoken, accent));
  }

  async function embeddings(ask: Ask, reply: Reply): Promise<void> {
    const requested = readEmbeddings(ask.json);
    if (typeof requested === 'string')
      return fail(reply, 400, `"input" must be provided: ${requested}`);
    const longest = Math.max(...requested.texts.map((text) => countTokens(text)));
    if (longest > switches.batchSize)
      return fail(
        reply,
        500,
        `input (${longest} tokens) is too large to process. increase the physical batch size (current batch size: ${switches.batchSize})`,
      );
    return reply.json(
      200,
      embeddingsBody(requested, requested.model === '' ? MODEL : requested.model, 768),
    );
  }

  const props = (): object => ({
    default_generation_settings: { id: 0, n_ctx: switches.nCtx, is_processing: false, params: {} },
    total_slots: 1,
    model_path: `/models/${MODEL}`,
    modalities: { vision: switches.vision === 'on', audio: false },
    chat_template: '{{ messages }}',
    chat_template_caps: {
      supports_tools: switches.jinja === 'on',
      supports_tool_calls: switches.jinja === 'on',
    },
    build_info: 'b6700-emulated',
  });

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    if (switches.health === 'loading') return fail(reply, 503, 'Loading model');
    const isOpen = ask.path === '/health' || ask.path === '/v1/health' || ask.path === '/v1/models';
    const { apiKey } = switches;
    if (apiKey !== '' && !isOpen && ask.headers['authorization'] !== `Bearer ${apiKey}`)
      return fail(reply, 401, 'Invalid API Key');
    switch (`${ask.method} ${ask.path}`) {
      case 'GET /health':
      case 'GET /v1/health':
        return reply.json(200, { status: 'ok' });
      case 'GET /props':
        return reply.json(200, props());
      case 'GET /v1/models':
        return reply.json(200, {
          object: 'list',
          data: [
            {
              id: MODEL,
              object: 'model',
              created: Math.floor(ask.now() / 1_000),
              owned_by: 'llamacpp',
              meta: { n_ctx_train: 131_072, n_params: 8_000_000_000, size: 4_900_000_000 },
            },
          ],
        });
      case 'POST /v1/chat/completions':
        return chat(ask, reply);
      case 'POST /v1/embeddings':
        return embeddings(ask, reply);
      default:
        return fail(reply, 404, 'File Not Found');
    }
  }

  const says =
    (status: number, message: string): FaultAnswer =>
    async (_ask, reply): Promise<'answered'> => {
      await fail(reply, status, message);
      return 'answered';
    };

  return {
    name: 'llamacpp',
    prefix: '/llamacpp',
    switches,
    reset() {
      toggles.reset();
      made = 0;
    },
    handle,
    faultOptions: { F24: ['tokens', 'nCtx'] },
    faults: {
      ...throughFaults(),
      F1: says(429, 'Too many requests'),
      F3: says(503, 'Loading model'),
      F16: says(401, 'Invalid API Key'),
      F24: async (_ask, reply, fault): Promise<'answered'> => {
        await reply.json(
          400,
          tooLong(
            Number(fault.with?.['tokens'] ?? 13_392),
            Number(fault.with?.['nCtx'] ?? switches.nCtx),
          ),
        );
        return 'answered';
      },
    },
  };
}

const hasImage = (messages: readonly Dictionary[]): boolean =>
  messages.some(
    ({ content }) =>
      Array.isArray(content) &&
      content.some((part) => isObject(part) && part['type'] === 'image_url'),
  );

/** Templates of models that think take this option. */
function thinks(body: Dictionary): boolean {
  const extra = body['chat_template_kwargs'];
  return !(isObject(extra) && extra['enable_thinking'] === false);
}

/** How far the prompt has been read, for those who ask. */
function withProgress(accent: Accent, body: Dictionary, prompt: number): Accent {
  if (body['return_progress'] !== true) return accent;
  const progress = { total: prompt, cache: 0, processed: prompt, time_ms: 1 };
  return { ...accent, around: { ...accent.around, prompt_progress: progress } };
}
