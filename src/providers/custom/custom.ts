import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/llm/chat.ts';
import { anySignal, type AbortSignalLike } from '#core/net/abort.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import type {
  StreamTimeouts,
  Provider,
  ProviderContext,
  ProviderModel,
} from '#core/llm/provider.ts';
import type { Secret } from '#core/secrets/secret.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { withSettingHint } from '../setting-hint.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { checkRequest } from '../openai-compatible/request/check-request.ts';
import type { VendorError } from '../openai-compatible/errors/vendor-error.ts';
import { deferIterator, tapIterator } from '#core/async-iterators.ts';
import { withProviderName } from '../openai-compatible/http.ts';
import { createOpenAiClient, type OpenAiClient } from '../openai-compatible/openai-client.ts';
import type { OpenAiClientOptions } from '../openai-compatible/client-options.ts';
import { createServerCache, serverAddress } from './server-cache.ts';
import {
  customModel,
  resolveCustomModelId,
  modelWithAliases,
  requestedModelId,
} from './custom-model.ts';
import { embedWithCustom } from './embed.ts';
import { classifyCustom } from './errors.ts';
import { FLAVOUR, type Flavour } from './flavours.ts';
import { createLearnedQuirks } from '../openai-compatible/follow-up/learned-quirks.ts';
import { describePictures, inlinePictures } from './pictures.ts';
import {
  guardTruncation,
  planCustomChat,
  type CustomTarget,
  type TruncationGuard,
} from './request.ts';
import type { Server } from './probes.ts';

export interface CustomSettings {
  /** `CUSTOM_API_URL`; empty when there is no such server. */
  readonly baseUrl: string;
  /** `CUSTOM_API_KEY`; most local servers need none. */
  readonly key: Secret;
  /** `CUSTOM_MODEL`, the default model. */
  readonly model?: string;
  readonly embeddingModel?: string;
  /** Context window of its models, where the server does not report it; 0 is unknown. */
  readonly contextTokens?: number;
}

/**
 * The provider for one OpenAI-compatible server of the user. Its kind (Ollama, vLLM, llama.cpp, LM
 * Studio) is detected at the first call and refreshed from time to time. Known differences are in
 * `flavours.ts`, others are learned from refusals.
 */
export function createCustom(settings: CustomSettings, deps: ProviderDeps): Provider {
  const { clock, http, random, timeouts, acquirePermit, forbids } = deps;
  const { model: preset = '', embeddingModel = '', key } = settings;
  const address = serverAddress(settings.baseUrl);
  const settingAddress = {
    provider: 'custom',
    setting: 'CUSTOM_API_URL',
    baseUrl: address.baseUrl,
    usual: '',
  } as const;
  const quirks = createLearnedQuirks(clock);

  function clientFor(
    flavour: Flavour,
    seen: (error: VendorError) => void,
    more: Partial<OpenAiClientOptions>,
  ): OpenAiClient {
    return createOpenAiClient({
      provider: 'custom',
      title: flavour.title,
      baseUrl: address.baseUrl,
      key,
      otherKeys: deps.keys ?? [],
      keyNeeded: 'no',
      http,
      clock,
      random,
      timeouts,
      idHeaders: ['x-request-id'],
      headers: {},
      marks: [],
      classify(error) {
        seen(error);
        return classifyCustom(error, flavour);
      },
      ...more,
    });
  }

  const permits = acquirePermit ? { acquirePermit } : {};
  const ignore = () => undefined;
  const server = createServerCache(clientFor(FLAVOUR.generic, ignore, {}), address, clock);

  async function probe(context: ProviderContext): Promise<{ found: Server; flavour: Flavour }> {
    if (address.baseUrl === '') throw noAddress();
    const found = await server.get(context);
    return { found, flavour: FLAVOUR[found.flavour ?? 'generic'] };
  }

  /** Refuses a model by its name, before the server is probed. */
  function refuseUnseen(id: string): void {
    if (id !== '') refuseForbidden(modelWithAliases(id), forbids);
  }

  /** The id of the model, after the user's lists were checked. */
  function pick({ model: name }: ChatRequest, found: Server): string {
    const id = resolveCustomModelId(name, preset, found);
    refuseForbidden(modelWithAliases(id, found), forbids);
    return id;
  }

  function checked(
    request: ChatRequest,
    id: string,
    facts: Partial<ProviderModel>,
    flavour: Flavour,
  ): { readonly aim: CustomTarget; readonly guard: TruncationGuard } {
    const window = quirks.window(id) ?? (settings.contextTokens || facts.contextTokens);
    const model = customModel(id, facts, window);
    checkRequest(request, model);
    refusePrefix(request, flavour);
    const guard = guardTruncation(request, window, flavour);
    return { aim: { model, flavour, quirks }, guard };
  }

  /**
   * The request that `chat` would send, by what is known of the server. A server that was never
   * probed counts as generic.
   */
  function preview(request: ChatRequest): ReturnType<OpenAiClient['preview']> {
    try {
      const wanted = requestedModelId(request.model, preset);
      refuseUnseen(wanted);
      if (address.baseUrl === '') throw noAddress();
      const seen = server.known();
      if (!seen && wanted === '') throw notLookedAt();
      const found = seen ?? UNSEEN;
      const flavour = FLAVOUR[found.flavour ?? 'generic'];
      const id = pick(request, found);
      const facts = { ...listedFacts(id, found, flavour), ...server.knownOllamaModel(id) };
      const { aim } = checked(request, id, facts, flavour);
      const messages = describePictures(request.messages, flavour, deps.publicHttp);
      const { plan } = planCustomChat({ ...request, messages }, aim, []);
      return clientFor(flavour, ignore, permits).preview(plan);
    } catch (thrown) {
      throw withProviderName(thrown, undefined, { provider: 'custom' });
    }
  }

  async function open(
    request: ChatRequest,
    callContext: ProviderContext,
    stop: AbortSignalLike,
  ): Promise<AsyncIterable<ChatEvent>> {
    const either = anySignal(callContext.signal, stop);
    const probeContext = { ...callContext, signal: either.signal };
    try {
      refuseUnseen(requestedModelId(request.model, preset));
      const { found, flavour } = await probe(probeContext);
      const id = pick(request, found);
      const facts = await factsOf(id, found, flavour, probeContext);
      const { aim, guard } = checked(request, id, facts, flavour);
      const messages = await inlinePictures(request.messages, flavour, deps, probeContext);
      const { plan, refusedWith } = planCustomChat({ ...request, messages }, aim, guard.notices);
      const events = clientFor(flavour, refusedWith, permits).chat(
        plan,
        withLoadingTime(callContext, flavour, timeouts),
      );
      return tapIterator(events, { ...guard, onFailure: failed });
    } catch (thrown) {
      throw failed(thrown);
    } finally {
      either.dispose();
    }
  }

  function failed(thrown: unknown): CallError {
    const error = withProviderName(thrown, undefined, { provider: 'custom' });
    // Another server may listen at this address now.
    if (error.class === 'network' || error.class === 'not_found') server.forget();
    return error;
  }

  async function factsOf(
    id: string,
    found: Server,
    flavour: Flavour,
    context: ProviderContext,
  ): Promise<Partial<ProviderModel>> {
    const listed = listedFacts(id, found, flavour);
    if (flavour.id !== 'ollama') return listed;
    return { ...listed, ...(await server.ollamaModel(id, context)) };
  }

  async function models(context: ProviderContext): Promise<readonly ProviderModel[]> {
    server.forget();
    const { found, flavour } = await probe(context);
    if (found.lists) return found.models;
    // Throws the reason when it is the address or the key.
    const plain = clientFor(flavour, ignore, permits);
    await plain.call({ operation: 'models', method: 'GET', path: '/models' }, context);
    throw new CallError('bad_response', `${flavour.title} has no list of models.`, {
      provider: 'custom',
      fixes: [fix('set_setting', { setting: 'CUSTOM_MODEL', value: 'the name of one' })],
    });
  }

  async function check(context: ProviderContext): Promise<string> {
    const list = await models(context);
    const { flavour } = await probe(context);
    const names = list.slice(0, 3).map(({ id }) => oneLine(id, 60));
    const more = list.length > names.length ? ` and ${list.length - names.length} more` : '';
    const what = flavour.id === 'generic' ? 'an OpenAI-compatible server' : flavour.title;
    return list.length === 0
      ? `${what}, without a model`
      : `${what} with ${names.join(', ')}${more}`;
  }

  return {
    id: 'custom',
    title: 'Custom server',
    capabilities: ['embed', 'models'],
    chat: (request, context) => deferIterator((stop) => open(request, context, stop)),
    preview,
    models,
    check: (context) => withSettingHint(settingAddress, () => check(context)),
    async embed(input, context) {
      try {
        const wanted = requestedModelId(input.model ?? '', embeddingModel);
        refuseUnseen(wanted);
        const { found, flavour } = await probe(context);
        const model = wanted || found.embeddingModels[0] || resolveCustomModelId('', preset, found);
        refuseForbidden(modelWithAliases(model, found), forbids);
        return await embedWithCustom(
          clientFor(flavour, ignore, permits),
          { ...input, model },
          context,
        );
      } catch (thrown) {
        throw withProviderName(thrown, undefined, { provider: 'custom' });
      }
    },
  };
}

function noAddress(): CallError {
  return new CallError('not_configured', 'There is no custom server.', {
    provider: 'custom',
    field: 'CUSTOM_API_URL',
    fixes: [
      fix('set_setting', {
        setting: 'CUSTOM_API_URL',
        value: 'its address, such as http://127.0.0.1:11434/v1 for Ollama',
      }),
    ],
  });
}

function notLookedAt(): CallError {
  return new CallError('not_configured', 'No model is named, and the server was not asked yet.', {
    provider: 'custom',
    field: 'model',
    fixes: [
      fix('set_argument', { argument: 'model' }),
      fix('set_setting', { setting: 'CUSTOM_MODEL' }),
      fix('refresh_models'),
    ],
  });
}

const UNSEEN: Server = { flavour: undefined, models: [], embeddingModels: [], lists: false };

function listedFacts(id: string, { models }: Server, flavour: Flavour): Partial<ProviderModel> {
  const exact = models.find((each) => each.id === id);
  // llama.cpp answers to any name with its only model.
  const only = flavour.id === 'llamacpp' && models.length === 1 ? models[0] : undefined;
  return exact ?? only ?? {};
}

function refusePrefix({ continuation }: ChatRequest, { title }: Flavour): void {
  if (continuation !== 'prefix') return;
  throw new CallError('validation', `${title} cannot go on from a given beginning.`, {
    field: 'continuation',
    fix: 'Ask for the rest in words.',
  });
}

/** Raises the first-token timeout for servers that load models on demand. */
function withLoadingTime(
  context: ProviderContext,
  flavour: Flavour,
  usual: StreamTimeouts,
): ProviderContext {
  const { firstTokenMs, idleMs } = context.timeouts ?? usual;
  return {
    signal: context.signal,
    deadline: context.deadline,
    timeouts: { firstTokenMs: Math.max(firstTokenMs, flavour.firstTokenMs), idleMs },
    onVendorRequest: (exchange) => context.onVendorRequest?.(exchange),
  };
}
