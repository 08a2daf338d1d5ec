import { isObject } from '../is-object.ts';
import { countPrompt } from '../openai/prompt.ts';
import type { PrefixCache } from '../openai/prefix-cache.ts';
import { countTokens } from '../tokens.ts';
import type { Ask, Reply } from '../vendor.ts';
import type { Tasks } from './async-chat.ts';
import { checkChat } from './check-chat.ts';
import { embed } from './embed.ts';
import { readGlmEmbeddingRequest } from './embeddings.ts';
import type { ErrorStyle, GlmError } from './errors.ts';
import type { Files } from './files.ts';
import { parseLayout } from './layout.ts';
import { imageUrl, readPrompt, videoOf } from './made-media.ts';
import { modelList } from './models.ts';
import { prepareChat } from './prepare-chat.ts';
import { streamChat, wholeChat } from './say-chat.ts';
import { readPage, webSearch, type Made } from './search.ts';
import { serveFiles } from './serve-files.ts';
import type { GlmSwitches } from './switches.ts';

/** What the vendor has at hand for every request. */
export interface GlmState {
  readonly switches: GlmSwitches;
  readonly files: Files;
  readonly tasks: Tasks;
  readonly cache: PrefixCache;
  /** Chats under way, by key, and by key and model. */
  readonly running: Map<string, Set<object>>;
  /** The caller's own ids of chats under way. */
  readonly requestIds: Set<string>;
  newId(ask: Ask): string;
  styleOf(ask: Ask): ErrorStyle;
}

/** Answers, or gives the error to answer with. */
type Answering = (
  ask: Ask,
  reply: Reply,
  path: string,
  keyId: string,
) => Promise<GlmError | undefined>;

const TOKENIZED: readonly unknown[] = ['glm-4.6', 'glm-4.6v', 'glm-4.5'];

const FREE: readonly string[] = ['glm-4.7-flash', 'glm-4.5-flash', 'glm-4.6v-flash'];

export function createRoutes(state: GlmState): Answering {
  const { switches, tasks } = state;

  const madeNow = (ask: Ask): Made => ({
    id: state.newId(ask),
    created: Math.floor(ask.now() / 1_000),
    nowMs: ask.now(),
  });

  function prepare(ask: Ask, keyId: string): ReturnType<typeof prepareChat> {
    const checked = checkChat(ask.json, switches);
    if ('error' in checked) return checked;
    const { cache } = state;
    return prepareChat(checked, {
      id: state.newId(ask),
      keyId,
      nowMs: ask.now(),
      fault: ask.fault,
      switches,
      cache,
    });
  }

  const runningOf = (name: string): number => state.running.get(name)?.size ?? 0;

  async function chat(ask: Ask, reply: Reply, keyId: string): Promise<GlmError | undefined> {
    const count = runningOf(keyId);
    if (switches.concurrency > 0 && count >= switches.concurrency) return { code: '1302' };
    const prepared = prepare(ask, keyId);
    if ('error' in prepared) return prepared.error;
    const busy = `${keyId} ${prepared.model.id}`;
    const isFree = FREE.includes(prepared.model.id);
    if (isFree && switches.freeConcurrency > 0 && runningOf(busy) >= switches.freeConcurrency)
      return { code: '1302' };
    const mark = `${keyId} ${prepared.requestId}`;
    if (state.requestIds.has(mark)) return { code: '1231', about: prepared.requestId };
    for (const name of [keyId, busy])
      state.running.set(name, (state.running.get(name) ?? new Set()).add(prepared));
    state.requestIds.add(mark);
    try {
      if (prepared.body['stream'] === true)
        await streamChat(prepared, reply, switches, state.styleOf(ask));
      else if (ask.fault?.id === 'F11.error') return { code: '1234', about: prepared.id };
      else await reply.json(200, wholeChat(prepared, switches));
    } finally {
      state.requestIds.delete(mark);
      for (const name of [keyId, busy]) {
        state.running.get(name)?.delete(prepared);
        if (runningOf(name) === 0) state.running.delete(name);
      }
    }
    return undefined;
  }

  async function asyncChat(ask: Ask, reply: Reply, keyId: string): Promise<GlmError | undefined> {
    const prepared = prepare(ask, keyId);
    if ('error' in prepared) return prepared.error;
    const { id, requestId, model, said } = prepared;
    const isLost = said.finish === 'network_error' || ask.fault?.id === 'F11.error';
    const result = isLost
      ? { task_status: 'FAIL' }
      : { ...wholeChat(prepared, switches), task_status: 'SUCCESS' };
    tasks.add(id, {
      owner: keyId,
      requestId,
      model: model.id,
      result,
      pollsLeft: switches.asyncPolls,
    });
    await reply.json(200, {
      id,
      request_id: requestId,
      model: model.id,
      task_status: 'PROCESSING',
    });
    return undefined;
  }

  async function pollTask(
    reply: Reply,
    path: string,
    keyId: string,
  ): Promise<GlmError | undefined> {
    const body = tasks.poll(path.slice('/async-result/'.length), keyId);
    if (body === undefined) return { code: '1200' };
    await reply.json(200, body);
    return undefined;
  }

  async function embeddings(ask: Ask, reply: Reply): Promise<GlmError | undefined> {
    const requested = readGlmEmbeddingRequest(ask.json);
    if ('error' in requested) return requested.error;
    const tokens = requested.texts.reduce((sum, text) => sum + countTokens(text), 0);
    const data = requested.texts.map((text, index) => ({
      index,
      object: 'embedding',
      embedding: embed(text, requested.dimensions),
    }));
    const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
    await reply.json(200, { model: requested.model, object: 'list', data, usage });
    return undefined;
  }

  async function tokenizer(ask: Ask, reply: Reply): Promise<GlmError | undefined> {
    if (!isObject(ask.json)) return { code: '1210' };
    const { model, messages, tools } = ask.json;
    if (typeof model !== 'string') return { code: '1213', about: 'model' };
    if (switches.tokenizerModels === 'listed' && !TOKENIZED.includes(model))
      return { code: '1211' };
    if (!Array.isArray(messages) || messages.length === 0)
      return { code: '1213', about: 'messages' };
    if (!messages.every(isObject)) return { code: '1214', about: 'messages' };
    const { text, image, video, total } = countPrompt(messages, tools);
    const { id, created } = madeNow(ask);
    await reply.json(200, {
      id,
      created,
      request_id: typeof ask.json['request_id'] === 'string' ? ask.json['request_id'] : id,
      usage: { prompt_tokens: text, image_tokens: image, video_tokens: video, total_tokens: total },
    });
    return undefined;
  }

  async function tell(
    reply: Reply,
    told: { readonly body: object } | { readonly error: GlmError },
  ): Promise<GlmError | undefined> {
    if ('error' in told) return told.error;
    await reply.json(200, told.body);
    return undefined;
  }

  async function makeMedia(
    ask: Ask,
    reply: Reply,
    path: string,
    keyId: string,
  ): Promise<GlmError | undefined> {
    const requested = readPrompt(ask.json);
    if ('error' in requested) return requested.error;
    const { id, created } = madeNow(ask);
    const url = imageUrl(requested.prompt);
    if (path === '/images/generations') {
      await reply.json(200, { created, data: [{ url }] });
      return undefined;
    }
    const made =
      path === '/videos/generations'
        ? { video_result: [videoOf(requested.prompt)] }
        : { image_result: [{ url }] };
    const result = { ...made, task_status: 'SUCCESS' };
    tasks.add(id, {
      owner: keyId,
      requestId: id,
      model: requested.model,
      result,
      pollsLeft: switches.asyncPolls,
    });
    await reply.json(200, {
      id,
      model: requested.model,
      task_status: 'PROCESSING',
      request_id: id,
    });
    return undefined;
  }

  return async (ask, reply, path, keyId) => {
    if (path === '/files' || path.startsWith('/files/'))
      return serveFiles(ask, reply, path, keyId, state.files);
    if (ask.method === 'GET' && path.startsWith('/async-result/'))
      return pollTask(reply, path, keyId);
    switch (`${ask.method} ${path}`) {
      case 'GET /models':
        if (switches.models === '404') return { code: '404', about: path };
        return tell(reply, { body: modelList() });
      case 'POST /chat/completions':
        return chat(ask, reply, keyId);
      case 'POST /async/chat/completions':
        return asyncChat(ask, reply, keyId);
      case 'POST /web_search':
        return tell(reply, webSearch(ask.json, switches, madeNow(ask)));
      case 'POST /reader':
        return tell(reply, readPage(ask.json, madeNow(ask)));
      case 'POST /embeddings':
        return embeddings(ask, reply);
      case 'POST /tokenizer':
        return tokenizer(ask, reply);
      case 'POST /layout_parsing':
        return tell(reply, parseLayout(ask.json, madeNow(ask)));
      case 'POST /images/generations':
      case 'POST /async/images/generations':
      case 'POST /videos/generations':
        return makeMedia(ask, reply, path, keyId);
      default:
        return { code: '404', about: path };
    }
  };
}
