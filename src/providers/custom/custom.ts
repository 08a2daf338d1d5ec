import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import { eitherOf } from '#core/canceller.ts';
import type { Cancel } from '#core/http.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import type { Patience, Provider, ProviderContext, ProviderModel } from '#core/provider.ts';
import type { Secret } from '#core/secret.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { namingSetting } from '../naming-setting.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { checkRequest } from '../wire/check-request.ts';
import type { VendorError } from '../wire/read-error.ts';
import { openedLater } from '../wire/opened-later.ts';
import { passing } from '../wire/passing.ts';
import { named } from '../wire/send.ts';
import { createWire, type Wire } from '../wire/wire.ts';
import type { WireOptions } from '../wire/wire-options.ts';
import { addressOf } from './address.ts';
import { customModel, customModelId, listedModel, wantedId } from './custom-model.ts';
import { embed } from './embed.ts';
import { classifyCustom } from './errors.ts';
import { FLAVOUR, type Flavour } from './flavours.ts';
import { createLessons } from '../wire/lessons.ts';
import { describePictures, inlinePictures } from './pictures.ts';
import { planChat, type Aim } from './plan-chat.ts';
import type { Server } from './probes.ts';
import { createKnownServer } from './server.ts';
import { guardTruncation, type TruncationWatch } from './truncation.ts';

export interface CustomSettings {
  /** `CUSTOM_API_URL`; empty when there is no such server. */
  readonly baseUrl: string;
  /** `CUSTOM_API_KEY`; most servers at home want none. */
  readonly key: Secret;
  /** `CUSTOM_MODEL`, asked for when nobody names one. */
  readonly model?: string;
  readonly embeddingModel?: string;
  /** The window of its models, where the server does not tell; 0 is unknown. */
  readonly contextTokens?: number;
}

/**
 * One OpenAI-compatible server of the user's. Which one it is (Ollama, vLLM, llama.cpp, LM Studio) is found out at the first call
 * and looked at again now and then; the differences are in `flavours.ts`, and what nobody wrote down is learned from refusals.
 */
export function createCustom(settings: CustomSettings, deps: ProviderDeps): Provider {
  const { clock, http, random, patience, gate, forbids } = deps;
  const { model: preset = '', embeddingModel = '', key } = settings;
  const address = addressOf(settings.baseUrl);
  const asked = {
    provider: 'custom',
    setting: 'CUSTOM_API_URL',
    baseUrl: address.baseUrl,
    usual: '',
  } as const;
  const lessons = createLessons(clock);

  function wireFor(
    flavour: Flavour,
    seen: (error: VendorError) => void,
    more: Partial<WireOptions>,
  ): Wire {
    return createWire({
      provider: 'custom',
      title: flavour.title,
      baseUrl: address.baseUrl,
      key,
      otherKeys: deps.keys ?? [],
      keyNeeded: 'no',
      http,
      clock,
      random,
      patience,
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

  const gated = gate ? { gate } : {};
  const ignore = () => undefined;
  const server = createKnownServer(wireFor(FLAVOUR.generic, ignore, {}), address, clock);

  async function look(context: ProviderContext): Promise<{ found: Server; flavour: Flavour }> {
    if (address.baseUrl === '') throw noAddress();
    const found = await server.get(context);
    return { found, flavour: FLAVOUR[found.flavour ?? 'generic'] };
  }

  /** Where the name says it already, not even the server is looked at. */
  function refuseUnseen(id: string): void {
    if (id !== '') refuseForbidden(listedModel(id), forbids);
  }

  /** The id of the model that is asked, once nothing stands against asking it. */
  function pick({ model: name }: ChatRequest, found: Server): string {
    const id = customModelId(name, preset, found);
    refuseForbidden(listedModel(id, found), forbids);
    return id;
  }

  function checked(
    request: ChatRequest,
    id: string,
    facts: Partial<ProviderModel>,
    flavour: Flavour,
  ): { readonly aim: Aim; readonly guard: TruncationWatch } {
    const window = lessons.window(id) ?? (settings.contextTokens || facts.contextTokens);
    const model = customModel(id, facts, window);
    checkRequest(request, model);
    refusePrefix(request, flavour);
    const guard = guardTruncation(request, window, flavour);
    return { aim: { model, flavour, lessons }, guard };
  }

  /** By what is known of the server; one that was never looked at is taken for any OpenAI-compatible one. */
  function preview(request: ChatRequest): ReturnType<Wire['preview']> {
    try {
      const wanted = wantedId(request.model, preset);
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
      const { plan } = planChat({ ...request, messages }, aim, []);
      return wireFor(flavour, ignore, gated).preview(plan);
    } catch (thrown) {
      throw named(thrown, undefined, { provider: 'custom' });
    }
  }

  async function open(
    request: ChatRequest,
    given: ProviderContext,
    stop: Cancel,
  ): Promise<AsyncIterable<ChatEvent>> {
    const either = eitherOf(given.signal, stop);
    const looking = { ...given, signal: either.signal };
    try {
      refuseUnseen(wantedId(request.model, preset));
      const { found, flavour } = await look(looking);
      const id = pick(request, found);
      const facts = await factsOf(id, found, flavour, looking);
      const { aim, guard } = checked(request, id, facts, flavour);
      const messages = await inlinePictures(request.messages, flavour, deps, looking);
      const { plan, refusedWith } = planChat({ ...request, messages }, aim, guard.notices);
      const events = wireFor(flavour, refusedWith, gated).chat(
        plan,
        patient(given, flavour, patience),
      );
      return passing(events, { ...guard, onFailure: failed });
    } catch (thrown) {
      throw failed(thrown);
    } finally {
      either.dispose();
    }
  }

  function failed(thrown: unknown): CallError {
    const error = named(thrown, undefined, { provider: 'custom' });
    // Another program may answer at this address by now.
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
    const { found, flavour } = await look(context);
    if (found.lists) return found.models;
    // Says why, if it is the address or the key.
    const plain = wireFor(flavour, ignore, gated);
    await plain.call({ operation: 'models', method: 'GET', path: '/models' }, context);
    throw new CallError('bad_response', `${flavour.title} has no list of models.`, {
      provider: 'custom',
      fixes: [fix('set_setting', { setting: 'CUSTOM_MODEL', value: 'the name of one' })],
    });
  }

  async function check(context: ProviderContext): Promise<string> {
    const list = await models(context);
    const { flavour } = await look(context);
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
    can: ['embed', 'models'],
    chat: (request, context) => openedLater((stop) => open(request, context, stop)),
    preview,
    models,
    check: (context) => namingSetting(asked, () => check(context)),
    async embed(input, context) {
      try {
        const wanted = wantedId(input.model ?? '', embeddingModel);
        refuseUnseen(wanted);
        const { found, flavour } = await look(context);
        const model = wanted || found.embeddingModels[0] || customModelId('', preset, found);
        refuseForbidden(listedModel(model, found), forbids);
        return await embed(wireFor(flavour, ignore, gated), { ...input, model }, context);
      } catch (thrown) {
        throw named(thrown, undefined, { provider: 'custom' });
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
  // llama.cpp answers to any name with the one model that it has.
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

/** A server that loads models on demand needs more time for its first word than others. */
function patient(context: ProviderContext, flavour: Flavour, usual: Patience): ProviderContext {
  const { firstTokenMs, idleMs } = context.patience ?? usual;
  return {
    signal: context.signal,
    deadline: context.deadline,
    patience: { firstTokenMs: Math.max(firstTokenMs, flavour.firstTokenMs), idleMs },
    onExchange: (exchange) => context.onExchange?.(exchange),
  };
}
