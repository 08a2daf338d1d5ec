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
import { otherUse } from '#models/built-in.ts';
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
import { CUSTOM_IDENTITY, type ServerIdentity } from './server-identity.ts';
import { listModels } from './list-models.ts';
import { tryModel } from './try-model.ts';
import {
  chatModels,
  customModel,
  resolveCustomModelId,
  modelWithAliases,
  noModelError,
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
  /** Default: that of `providers.custom`. */
  readonly identity?: ServerIdentity;
  /** The kind of server, if it is known; otherwise it is detected. */
  readonly flavour?: Flavour;
  readonly keyNeeded?: OpenAiClientOptions['keyNeeded'];
  /** What is known of its models beside its list. */
  readonly facts?: (model: string) => Partial<ProviderModel>;
}

/**
 * The provider for one OpenAI-compatible server of the user. Its kind (Ollama, vLLM, llama.cpp, LM
 * Studio) is detected at the first call and refreshed from time to time. Known differences are in
 * `flavours.ts`, others are learned from refusals.
 */
export function createCustom(settings: CustomSettings, deps: ProviderDeps): Provider {
  const { clock, http, random, timeouts, acquirePermit, forbids } = deps;
  const { model: preset = '', embeddingModel = '', key, identity = CUSTOM_IDENTITY } = settings;
  const { provider } = identity;
  // The address of a vendor is complete; that of a server may lack its usual path.
  const address = settings.flavour
    ? { baseUrl: settings.baseUrl, root: settings.baseUrl }
    : serverAddress(settings.baseUrl);
  const settingAddress = {
    provider,
    setting: identity.settings.url,
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
      provider,
      title: flavour.title,
      baseUrl: address.baseUrl,
      key,
      otherKeys: deps.keys ?? [],
      keyNeeded: settings.keyNeeded ?? 'no',
      ...(flavour.keyHeader !== undefined && { keyHeader: flavour.keyHeader }),
      http,
      clock,
      random,
      timeouts,
      idHeaders: ['x-request-id', 'request-id'],
      headers: {},
      marks: [],
      classify(error) {
        seen(error);
        return classifyCustom(error, flavour, identity);
      },
      ...more,
    });
  }

  const permits = acquirePermit ? { acquirePermit } : {};
  const ignore = () => undefined;
  const generic = { ...FLAVOUR.generic, title: identity.subject };
  const server = createServerCache(clientFor(generic, ignore, {}), address, clock);

  function flavourOf(found: Server): Flavour {
    const { flavour = 'generic' } = found;
    return settings.flavour ?? (flavour === 'generic' ? generic : FLAVOUR[flavour]);
  }

  async function probe(context: ProviderContext): Promise<{ found: Server; flavour: Flavour }> {
    if (address.baseUrl === '') throw noAddress(identity);
    const found = settings.flavour ? UNSEEN : await server.get(context);
    return { found, flavour: flavourOf(found) };
  }

  /** Refuses a model by its name, before the server is probed. */
  function refuseUnseen(id: string): void {
    if (id !== '') refuseForbidden(modelWithAliases(id, provider), forbids);
  }

  /** The id of the model, after the user's lists were checked. */
  function pick({ model: name }: ChatRequest, found: Server): string {
    const id = resolveCustomModelId(name, preset, found, identity);
    refuseForbidden(modelWithAliases(id, provider, found), forbids);
    return id;
  }

  function checked(
    request: ChatRequest,
    id: string,
    facts: Partial<ProviderModel>,
    flavour: Flavour,
  ): { readonly aim: CustomTarget; readonly guard: TruncationGuard } {
    const window = quirks.window(id) ?? (settings.contextTokens || facts.contextTokens);
    const model = {
      ...customModel(id, provider, facts, window),
      ...(flavour.maxStops !== undefined && { maxStops: flavour.maxStops }),
    };
    checkRequest(request, model);
    refusePrefix(request, flavour);
    const guard = guardTruncation(request, window, flavour);
    return { aim: { model, flavour, quirks, provider }, guard };
  }

  /**
   * The request that `chat` would send, by what is known of the server. A server that was never
   * probed counts as generic.
   */
  function preview(request: ChatRequest): ReturnType<OpenAiClient['preview']> {
    try {
      const wanted = requestedModelId(request.model, preset, provider);
      refuseUnseen(wanted);
      if (address.baseUrl === '') throw noAddress(identity);
      const seen = server.known();
      if (!seen && wanted === '') throw notLookedAt(identity);
      const found = seen ?? UNSEEN;
      const flavour = flavourOf(found);
      const id = pick(request, found);
      const facts = {
        ...settings.facts?.(id),
        ...listedFacts(id, found, flavour),
        ...server.knownOllamaModel(id),
      };
      const { aim } = checked(request, id, facts, flavour);
      const messages = describePictures(request.messages, flavour, deps.publicHttp);
      const { plan } = planCustomChat({ ...request, messages }, aim, []);
      return clientFor(flavour, ignore, permits).preview(plan);
    } catch (thrown) {
      throw withProviderName(thrown, undefined, { provider });
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
      refuseUnseen(requestedModelId(request.model, preset, provider));
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
    const error = withProviderName(thrown, undefined, { provider });
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
    const listed = { ...settings.facts?.(id), ...listedFacts(id, found, flavour) };
    if (flavour.id !== 'ollama') return listed;
    return { ...listed, ...(await server.ollamaModel(id, context)) };
  }

  async function models(context: ProviderContext): Promise<readonly ProviderModel[]> {
    server.forget();
    const { found, flavour } = await probe(context);
    if (found.lists) return found.models.map((each) => ({ ...settings.facts?.(each.id), ...each }));
    // Throws the reason when it is the address or the key.
    const listed = await listModels(clientFor(flavour, ignore, permits), context);
    if (listed && (settings.flavour || listed.length > 0))
      return listed.map((each) => ({ ...settings.facts?.(each.id), ...each }));
    throw new CallError('bad_response', `${flavour.title} has no list of models.`, {
      provider,
      fixes: [
        fix('set_setting', { setting: identity.settings.model, value: 'the name of one' }),
        ...(provider === 'custom'
          ? []
          : [fix('correct_setting', { setting: identity.settings.url })]),
      ],
    });
  }

  async function check(context: ProviderContext): Promise<string> {
    const list = await models(context);
    const { found, flavour } = await probe(context);
    if (!settings.flavour && preset.trim() === '' && chatModels(found).length === 0)
      throw noModelError(found, identity);
    const names = list.slice(0, 3).map(({ id }) => oneLine(id, 60));
    const more = list.length > names.length ? ` and ${list.length - names.length} more` : '';
    const what =
      flavour.id === 'generic' && !settings.flavour ? 'an OpenAI-compatible server' : flavour.title;
    return list.length === 0
      ? `${what}, without a model`
      : `${what} with ${names.join(', ')}${more}`;
  }

  return {
    id: provider,
    title: identity.title,
    capabilities: ['embed', 'models'],
    chat: (request, context) => deferIterator((stop) => open(request, context, stop)),
    preview,
    models,
    async tryModel(name, context) {
      try {
        const { found, flavour } = await probe(context);
        const id = resolveCustomModelId(name, preset, found, identity);
        refuseForbidden(modelWithAliases(id, provider, found), forbids);
        await tryModel(clientFor(flavour, ignore, permits), id, flavour, context);
        return id;
      } catch (thrown) {
        throw withProviderName(thrown, undefined, { provider });
      }
    },
    check: (context) => withSettingHint(settingAddress, () => check(context)),
    async embed(input, context) {
      try {
        const wanted = requestedModelId(input.model ?? '', embeddingModel, provider);
        refuseUnseen(wanted);
        const { found, flavour } = await probe(context);
        const model =
          wanted || embeddingModelOf(found) || resolveCustomModelId('', preset, found, identity);
        refuseForbidden(modelWithAliases(model, provider, found), forbids);
        return await embedWithCustom(
          clientFor(flavour, ignore, permits),
          { ...input, model },
          context,
        );
      } catch (thrown) {
        throw withProviderName(thrown, undefined, { provider });
      }
    },
  };
}

function noAddress({ provider, settings }: ServerIdentity): CallError {
  const message =
    provider === 'custom' ? 'There is no custom server.' : `${provider} has no address.`;
  return new CallError('not_configured', message, {
    provider,
    field: settings.url,
    fixes: [
      fix('set_setting', {
        setting: settings.url,
        value: 'its address, such as http://127.0.0.1:11434/v1 for Ollama',
      }),
    ],
  });
}

function notLookedAt({ provider, settings }: ServerIdentity): CallError {
  return new CallError('not_configured', 'No model is named, and the server was not asked yet.', {
    provider,
    field: 'model',
    fixes: [
      fix('set_argument', { argument: 'model' }),
      fix('set_setting', { setting: settings.model }),
      fix('refresh_models'),
    ],
  });
}

/** A model that the server lists for embeddings, by its list or by the name of the model. */
function embeddingModelOf({ models, embeddingModels }: Server): string | undefined {
  return embeddingModels[0] ?? models.find(({ id }) => otherUse(id) !== undefined)?.id;
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
  throw new CallError('validation', `${title} cannot continue a given beginning.`, {
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
