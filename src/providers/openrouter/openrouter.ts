import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import { failing } from '#core/failing.ts';
import type { JsonObject } from '#core/json.ts';
import type { Provider, ProviderContext, ProviderModel } from '#core/provider.ts';
import type { Secret } from '#core/secret.ts';
import type { Model } from '#models/model.ts';
import { createFollowUps } from '../wire/follow-up.ts';
import { createLessons } from '../wire/lessons.ts';
import { namingSetting } from '../naming-setting.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { checkRequest } from '../wire/check-request.ts';
import { asObject } from '../wire/json-read.ts';
import type { VendorError } from '../wire/read-error.ts';
import type { ChatPlan } from '../wire/round.ts';
import { named } from '../wire/send.ts';
import { createWire, type Wire } from '../wire/wire.ts';
import { classifyOpenRouter, KEY_FIXES } from './errors.ts';
import { proveKey, readKey } from './key-info.ts';
import { readModels } from './list-models.ts';
import { formsOf, routedModel } from './model-id.ts';
import { readCitations } from './web-search.ts';
import { writeRequest, type RoutingSettings } from './write-request.ts';

export interface OpenRouterSettings extends RoutingSettings {
  /** `https://openrouter.ai/api/v1`, or an emulator's. */
  readonly baseUrl: string;
  readonly key: Secret;
  /** How requests are attributed at OpenRouter's: `HTTP-Referer`, which is a URL, and `X-Title`. */
  readonly referer?: string;
  readonly appTitle?: string;
}

const TITLE = 'OpenRouter';
const USUAL_URL = 'https://openrouter.ai/api/v1';
const NO_THINKING = { reasoning: { effort: 'none' } };

/** Many vendors' models behind one key. */
export function createOpenRouter(settings: OpenRouterSettings, deps: ProviderDeps): Provider {
  const { baseUrl, key, referer = 'http://localhost', appTitle = 'EX-AI' } = settings;
  const { clock, http, random, patience, gate, forbids } = deps;
  const asked = {
    provider: 'openrouter',
    setting: 'OPENROUTER_API_URL',
    baseUrl,
    usual: USUAL_URL,
  } as const;
  const lessons = createLessons(clock);
  /** As the list was when it was last asked for. */
  let listed: ReadonlyMap<string, ProviderModel> = new Map();

  function wireWith(seen: (error: VendorError) => void): Wire {
    return createWire({
      provider: 'openrouter',
      title: TITLE,
      baseUrl,
      key,
      otherKeys: deps.keys ?? [],
      keyNeeded: { fixes: KEY_FIXES },
      http,
      clock,
      random,
      patience,
      idHeaders: ['x-generation-id'],
      idFields: ['id'],
      headers: { 'http-referer': referer, 'x-title': appTitle },
      marks: [],
      citations: readCitations,
      classify(error) {
        seen(error);
        return classifyOpenRouter(error);
      },
      ...(gate && { gate }),
    });
  }

  const wire = wireWith(() => undefined);

  const isForbidden = (id: string) =>
    forbids?.(withForms(routedModel(id, deps.catalogue(), listed))) !== undefined;

  /** The exchanges of one chat; `refusedWith` is told what the vendor refuses with. */
  function plan(request: ChatRequest): {
    readonly plan: ChatPlan;
    readonly refusedWith: (error: VendorError) => void;
  } {
    const model = routedModel(request.model, deps.catalogue(), listed);
    refuseForbidden(withForms(model), forbids);
    checkRequest(request, model);
    refusePrefix(request);
    let refusal: VendorError | undefined;
    const follow = createFollowUps(request, {
      about: { provider: 'openrouter', title: TITLE, model: model.id },
      model,
      lessons,
      refusal: () => refusal,
      relief: (body) => ({ limitField: 'max_tokens', less: lessThinking(body) }),
    });
    const { body, notices, tools } = writeRequest(request, model, settings, isForbidden);
    return {
      plan: {
        model: model.id,
        delivery: request.delivery,
        tools,
        first: follow.first(body, notices),
        next: follow.next,
        ...(follow.mend && { mend: follow.mend }),
      },
      refusedWith: (error) => (refusal = error),
    };
  }

  function chat(request: ChatRequest, context: ProviderContext): AsyncIterable<ChatEvent> {
    try {
      const planned = plan(request);
      return wireWith(planned.refusedWith).chat(planned.plan, context);
    } catch (thrown) {
      return failing(named(thrown, undefined, { provider: 'openrouter' }));
    }
  }

  async function check(context: ProviderContext): Promise<string> {
    const info = await readKey(wire, context);
    if (!info) {
      await proveKey(wire, context);
      return 'the key works';
    }
    const { remaining, isFreeTier } = info;
    if (remaining === undefined)
      return isFreeTier ? 'a key of the free tier' : 'a key without a limit of its own';
    const money = `$${remaining.toFixed(2)}`;
    return remaining > 0
      ? `${money} left on this key`
      : `accepted, but ${money} is left on this key: raise its limit at https://openrouter.ai/keys`;
  }

  return {
    id: 'openrouter',
    title: TITLE,
    can: ['web_search', 'models', 'balance'],
    chat,
    preview(request) {
      try {
        return wire.preview(plan(request).plan);
      } catch (thrown) {
        throw named(thrown, undefined, { provider: 'openrouter' });
      }
    },
    check: (context) => namingSetting(asked, () => check(context)),
    async models(context) {
      const { json } = await wire.call(
        { operation: 'models', method: 'GET', path: '/models' },
        context,
      );
      const models = readModels(json);
      if (models.length === 0) {
        throw new CallError('bad_response', 'OpenRouter gave a list without models.', {
          provider: 'openrouter',
        });
      }
      listed = new Map(models.map((model) => [model.id, model]));
      return models;
    },
    async balance(context) {
      const info = await readKey(wire, context);
      if (info?.remaining !== undefined) return { available: info.remaining, currency: 'USD' };
      throw new CallError('not_found', 'OpenRouter does not say what is left for this key.', {
        provider: 'openrouter',
        fix: 'It tells only for keys with a limit of their own; set one at https://openrouter.ai/keys.',
      });
    },
  };
}

function withForms(model: Model): Model {
  return { ...model, aliases: [...model.aliases, ...formsOf(model.id)] };
}

function refusePrefix({ continuation }: ChatRequest): void {
  if (continuation !== 'prefix') return;
  throw new CallError('validation', 'OpenRouter cannot go on from a given beginning.', {
    field: 'continuation',
    fix: 'Ask for the rest in words, or choose a model of Kimi.',
  });
}

function lessThinking(body: JsonObject): JsonObject | undefined {
  return asObject(body['reasoning'])?.['effort'] === 'none' ? undefined : NO_THINKING;
}
