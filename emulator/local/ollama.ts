import { isObject, type Dictionary } from '../is-object.ts';
import { createSwitches } from '../switches.ts';
import type { Ask, FaultAnswer, Reply, Vendor } from '../vendor.ts';
import { compose, limitOf, messagesOf } from './compose.ts';
import { embeddingsBody, nativeEmbedding, readEmbeddings } from './embeddings.ts';
import { throughFaults } from '../openai/through-faults.ts';
import { checkOllamaMessages, splitParts, truncate } from './ollama-messages.ts';
import {
  findOllama,
  openaiList,
  running,
  show,
  tags,
  windowOf,
  type OllamaModel,
} from './ollama-models.ts';
import { nativeChat, nativeGenerate } from './ollama-native.ts';
import { modelOf } from '../openai/model-of.ts';
import { countPrompt } from '../openai/prompt.ts';
import { speakStream, speakWhole, streamUsageOf, type Accent } from './speak.ts';

export const VERSION = '0.12.6';

export const createOllamaSwitches = () =>
  createSwitches({
    /** Tokens of the context window; it cannot be set through `/v1`. */
    numCtx: 4_096 as number,
  });

export type OllamaSwitches = ReturnType<typeof createOllamaSwitches>['switches'];

/** A model stays in memory so long after it was last used. */
const KEPT_MS = 300_000;

const EFFORTS: readonly unknown[] = ['high', 'medium', 'low', 'none'];

/** No members of the request for these: they are ignored without a word. */
const IGNORED = ['tool_choice', 'n', 'logprobs', 'parallel_tool_calls', 'max_completion_tokens'];

const typeOf = (status: number): string =>
  status === 400 ? 'invalid_request_error' : status === 404 ? 'not_found_error' : 'api_error';

const errorBody = (status: number, message: string): object => ({
  error: { message, type: typeOf(status), param: null, code: null },
});

/** Any key will do, but an empty one will not. */
export function createOllama(): Vendor<OllamaSwitches> {
  const toggles = createOllamaSwitches();
  const { switches } = toggles;
  /** Until when each model is in memory. */
  const loaded = new Map<OllamaModel, number>();
  let made = 0;

  const fail = (reply: Reply, status: number, message: string): Promise<void> =>
    reply.json(status, errorBody(status, message));

  async function chat(ask: Ask, reply: Reply): Promise<void> {
    const body = ask.json;
    if (!isObject(body)) return fail(reply, 400, 'invalid JSON body');
    const messages = messagesOf(body);
    if (messages === undefined) return fail(reply, 400, "[] is too short - 'messages'");
    const problem = checkOllamaMessages(messages);
    if (problem !== undefined) return fail(reply, 400, problem);
    const name = typeof body['model'] === 'string' ? body['model'] : '';
    const model = findOllama(name);
    if (name === '') return fail(reply, 400, 'model is required');
    if (model === undefined) return fail(reply, 404, `model '${name}' not found`);
    const effort = effortOf(body);
    const unfit = checkFit(body, model, effort);
    if (unfit !== undefined) return fail(reply, 400, unfit);
    loaded.set(model, ask.now() + KEPT_MS);
    const window = windowOf(model, switches.numCtx);
    const seen = truncate(splitParts(messages), window);
    const said = compose({
      body,
      messages: seen,
      thinks: model.can.includes('thinking') && effort !== 'none',
      maxTokens: limitOf(body, 'max_tokens') ?? window,
      fault: ask.fault,
      ignores: IGNORED,
    });
    const spoken = {
      said,
      promptTokens: Math.min(window, countPrompt(seen, body['tools']).total),
    };
    made += 1;
    const accent: Accent = {
      id: `chatcmpl-${made}`,
      created: Math.floor(ask.now() / 1_000),
      model: name,
      around: { system_fingerprint: 'fp_ollama' },
      last: {},
      always: { role: 'assistant', content: '' },
      reasoningKey: 'reasoning',
      calls: 'whole',
      callIndex: 'shown',
      streamUsage: streamUsageOf(body['stream_options']),
      streamError: { data: errorBody(500, 'model runner has unexpectedly stopped') },
      fault: ask.fault,
    };
    if (body['stream'] === true) return speakStream(reply, spoken, accent);
    if (ask.fault?.id === 'F11.error')
      return fail(reply, 500, 'model runner has unexpectedly stopped');
    return reply.json(200, speakWhole(spoken, accent));
  }

  async function embeddings(ask: Ask, reply: Reply): Promise<void> {
    const requested = readEmbeddings(ask.json);
    if (typeof requested === 'string') return fail(reply, 400, requested);
    const model = findOllama(requested.model);
    if (model === undefined)
      return fail(reply, 404, `model "${requested.model}" not found, try pulling it first`);
    loaded.set(model, ask.now() + KEPT_MS);
    return reply.json(200, embeddingsBody(requested, requested.model, 768));
  }

  async function nativeEmbed(ask: Ask, reply: Reply): Promise<void> {
    const requested = readEmbeddings(ask.json);
    if (typeof requested === 'string') return reply.json(400, { error: requested });
    const model = findOllama(requested.model);
    if (model === undefined)
      return reply.json(404, { error: `model '${requested.model}' not found` });
    loaded.set(model, ask.now() + KEPT_MS);
    return reply.json(200, nativeEmbedding(requested, 768));
  }

  async function native(ask: Ask, reply: Reply, answer: typeof nativeChat): Promise<void> {
    const model = findOllama(modelOf(ask.json));
    const numCtx = model === undefined ? switches.numCtx : windowOf(model, switches.numCtx);
    const { status, lines } = answer(ask.json, numCtx, ask.now(), ask.fault);
    if (model !== undefined && status === 200) loaded.set(model, ask.now() + KEPT_MS);
    const isStream = status === 200 && isObject(ask.json) && ask.json['stream'] !== false;
    const text = isStream
      ? lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      : JSON.stringify(lines[0]);
    const type = isStream ? 'application/x-ndjson' : 'application/json; charset=utf-8';
    return reply.raw(status, text, { 'content-type': type });
  }

  async function showModel(ask: Ask, reply: Reply): Promise<void> {
    const requested = isObject(ask.json) ? ask.json : {};
    const name = requested['model'] ?? requested['name'];
    if (typeof name !== 'string' || name === '')
      return reply.json(400, { error: 'model is required' });
    const model = findOllama(name);
    if (model === undefined) return reply.json(404, { error: `model '${name}' not found` });
    return reply.json(200, show(model));
  }

  function runningModels(nowMs: number): object {
    const now = [...loaded].filter(([, untilMs]) => untilMs > nowMs);
    return { models: now.map(([model, untilMs]) => running(model, switches.numCtx, untilMs)) };
  }

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    const key = ask.headers['authorization'];
    if (key !== undefined && /^bearer\s*$/i.test(key)) return fail(reply, 401, 'unauthorized');
    switch (`${ask.method} ${ask.path}`) {
      case 'GET /':
      case 'HEAD /':
        return reply.raw(200, 'Ollama is running', { 'content-type': 'text/plain; charset=utf-8' });
      case 'GET /v1/models':
        return reply.json(200, openaiList());
      case 'POST /v1/chat/completions':
        return chat(ask, reply);
      case 'POST /v1/embeddings':
        return embeddings(ask, reply);
      case 'GET /api/tags':
        return reply.json(200, tags());
      case 'GET /api/version':
        return reply.json(200, { version: VERSION });
      case 'POST /api/show':
        return showModel(ask, reply);
      case 'GET /api/ps':
        return reply.json(200, runningModels(ask.now()));
      case 'POST /api/chat':
        return native(ask, reply, nativeChat);
      case 'POST /api/generate':
        return native(ask, reply, nativeGenerate);
      case 'POST /api/embed':
        return nativeEmbed(ask, reply);
      default:
        return reply.raw(404, '404 page not found', { 'content-type': 'text/plain' });
    }
  }

  const says =
    (status: number, message: (ask: Ask) => string): FaultAnswer =>
    async (ask, reply): Promise<'answered'> => {
      await reply.json(
        status,
        ask.path.startsWith('/api/') ? { error: message(ask) } : errorBody(status, message(ask)),
      );
      return 'answered';
    };

  return {
    name: 'ollama',
    prefix: '/ollama',
    switches,
    reset() {
      toggles.reset();
      loaded.clear();
      made = 0;
    },
    handle,
    faults: {
      ...throughFaults(),
      F1: says(429, () => 'too many requests'),
      F3: says(503, () => 'server busy, please try again.  maximum pending requests exceeded'),
      F10: says(404, (ask) => `model '${modelOf(ask.json)}' not found`),
      F16: says(401, () => 'unauthorized'),
    },
  };
}

function effortOf(body: Dictionary): unknown {
  const { reasoning } = body;
  return isObject(reasoning) && reasoning['effort'] !== undefined
    ? reasoning['effort']
    : body['reasoning_effort'];
}

function checkFit(body: Dictionary, model: OllamaModel, effort: unknown): string | undefined {
  if (effort !== undefined && effort !== null && !EFFORTS.includes(effort))
    return `invalid reasoning value: '${typeof effort === 'string' ? effort : ''}' (must be "high", "medium", "low", or "none")`;
  if (Array.isArray(body['tools']) && body['tools'].length > 0 && !model.can.includes('tools'))
    return `registry.ollama.ai/library/${model.name} does not support tools`;
  if (
    effort !== undefined &&
    effort !== null &&
    effort !== 'none' &&
    !model.can.includes('thinking')
  )
    return `"${model.name}" does not support thinking`;
  return undefined;
}
