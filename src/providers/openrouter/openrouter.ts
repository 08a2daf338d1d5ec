import { rejectingIterator } from '#core/async-iterators.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/llm/chat.ts';
import type { Provider, ProviderContext, ProviderModel } from '#core/llm/provider.ts';
import type { Secret } from '#core/secrets/secret.ts';
import type { Model } from '#models/model.ts';
import type { ChatPlan } from '../openai-compatible/chat-plan.ts';
import type { VendorError } from '../openai-compatible/errors/vendor-error.ts';
import { createFollowUpSteps } from '../openai-compatible/follow-up/follow-up-steps.ts';
import { createLearnedQuirks } from '../openai-compatible/follow-up/learned-quirks.ts';
import { withProviderName } from '../openai-compatible/http.ts';
import { createOpenAiClient, type OpenAiClient } from '../openai-compatible/openai-client.ts';
import { checkRequest } from '../openai-compatible/request/check-request.ts';
import { asObject, asText } from '../openai-compatible/response/json.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { withSettingHint } from '../setting-hint.ts';
import { classifyOpenRouter, OPENROUTER_KEY_FIXES } from './errors.ts';
import { modelNameForms, readOpenRouterModels, resolveOpenRouterModel } from './models.ts';
import { lessReasoning } from './reasoning.ts';
import { writeOpenRouterRequest, type RoutingSettings } from './request.ts';
import { readCitations, searchOpenRouter } from './web-search.ts';

export interface OpenRouterSettings extends RoutingSettings {
  /** `https://openrouter.ai/api/v1`, or the address of an emulator. */
  readonly baseUrl: string;
  readonly key: Secret;
  /** Attribution of requests at OpenRouter: `HTTP-Referer`, a URL, and `X-Title`. */
  readonly referer?: string;
  readonly appTitle?: string;
}

const TITLE = 'OpenRouter';
const USUAL_URL = 'https://openrouter.ai/api/v1';

/** The provider for OpenRouter: models of many vendors with one key. */
export function createOpenRouter(settings: OpenRouterSettings, deps: ProviderDeps): Provider {
  const { baseUrl, key, referer = 'http://localhost', appTitle = 'EX-AI' } = settings;
  const { clock, http, random, timeouts, acquirePermit, forbids } = deps;
  const address = {
    provider: 'openrouter',
    setting: 'OPENROUTER_API_URL',
    baseUrl,
    usual: USUAL_URL,
  } as const;
  const quirks = createLearnedQuirks(clock);
  /** The last list of models. */
  let listed: ReadonlyMap<string, ProviderModel> = new Map();

  function clientWith(seen: (error: VendorError) => void): OpenAiClient {
    return createOpenAiClient({
      provider: 'openrouter',
      title: TITLE,
      baseUrl,
      key,
      otherKeys: deps.keys ?? [],
      keyNeeded: { fixes: OPENROUTER_KEY_FIXES },
      http,
      clock,
      random,
      timeouts,
      idHeaders: ['x-generation-id'],
      idFields: ['id'],
      headers: { 'http-referer': referer, 'x-title': appTitle },
      marks: [],
      citations: readCitations,
      classify(error) {
        seen(error);
        return classifyOpenRouter(error);
      },
      ...(acquirePermit && { acquirePermit }),
    });
  }

  const client = clientWith(() => undefined);

  const isForbidden = (id: string) =>
    forbids?.(withForms(resolveOpenRouterModel(id, deps.catalogue(), listed))) !== undefined;

  /** Plans one chat; `refusedWith` is called with each error of the vendor. */
  function plan(request: ChatRequest): {
    readonly plan: ChatPlan;
    readonly refusedWith: (error: VendorError) => void;
  } {
    const model = resolveOpenRouterModel(request.model, deps.catalogue(), listed);
    refuseForbidden(withForms(model), forbids);
    checkRequest(request, model);
    refusePrefix(request);
    let refusal: VendorError | undefined;
    const followUp = createFollowUpSteps(request, {
      about: { provider: 'openrouter', title: TITLE, model: model.id },
      model,
      quirks,
      refusal: () => refusal,
      lessThinking: (body) => lessReasoning(body, model),
    });
    const { body, notices, tools } = writeOpenRouterRequest(request, model, settings, isForbidden);
    return {
      plan: {
        model: model.id,
        delivery: request.delivery,
        tools,
        maxOutputTokens: request.maxOutputTokens,
        first: followUp.first(body, notices),
        next: followUp.next,
        ...(followUp.repair && { repair: followUp.repair }),
      },
      refusedWith: (error) => (refusal = error),
    };
  }

  function chat(request: ChatRequest, context: ProviderContext): AsyncIterable<ChatEvent> {
    try {
      const planned = plan(request);
      return clientWith(planned.refusedWith).chat(planned.plan, context);
    } catch (thrown) {
      return rejectingIterator(withProviderName(thrown, undefined, { provider: 'openrouter' }));
    }
  }

  async function check(context: ProviderContext): Promise<string> {
    const info = await readKey(client, context);
    if (!info) {
      await proveOpenRouterKey(client, context);
      return 'the key works';
    }
    const { remaining, isFreeTier } = info;
    if (remaining === undefined)
      return isFreeTier ? 'a key of the free tier' : 'a key without its own limit';
    const money = `$${remaining.toFixed(2)}`;
    return remaining > 0
      ? `${money} left on this key`
      : `accepted, but ${money} is left on this key: raise its limit at https://openrouter.ai/keys`;
  }

  return {
    id: 'openrouter',
    title: TITLE,
    capabilities: ['web_search', 'models', 'balance', 'search'],
    chat,
    preview(request) {
      try {
        return client.preview(plan(request).plan);
      } catch (thrown) {
        throw withProviderName(thrown, undefined, { provider: 'openrouter' });
      }
    },
    search: (query, context) => searchOpenRouter(query, chat, context),
    check: (context) => withSettingHint(address, () => check(context)),
    async models(context) {
      const { json } = await client.call(
        { operation: 'models', method: 'GET', path: '/models' },
        context,
      );
      const models = readOpenRouterModels(json);
      if (models.length === 0) {
        throw new CallError('bad_response', 'OpenRouter gave a list without models.', {
          provider: 'openrouter',
        });
      }
      listed = new Map(models.map((model) => [model.id, model]));
      // The list says what refusals only suggested.
      quirks.forget();
      return models;
    },
    async balance(context) {
      const info = await readKey(client, context);
      if (info?.remaining !== undefined) return { available: info.remaining, currency: 'USD' };
      throw new CallError('not_found', 'OpenRouter does not say what is left for this key.', {
        provider: 'openrouter',
        fix: 'OpenRouter reports this only for keys with a limit; set one at https://openrouter.ai/keys.',
      });
    },
  };
}

function withForms(model: Model): Model {
  return { ...model, aliases: [...model.aliases, ...modelNameForms(model.id)] };
}

function refusePrefix({ continuation }: ChatRequest): void {
  if (continuation !== 'prefix') return;
  throw new CallError('validation', 'OpenRouter cannot continue a given beginning.', {
    field: 'continuation',
    fix: 'Ask for the rest in words, or choose a model of Kimi.',
  });
}

interface OpenRouterKeyInfo {
  readonly label: string;
  /** Dollars; nothing when the key has no limit. */
  readonly remaining: number | undefined;
  readonly isFreeTier: boolean;
}

/** Reads the limits of the key (`GET /key`); nothing when the address has no such path. */
async function readKey(
  client: OpenAiClient,
  context: ProviderContext,
): Promise<OpenRouterKeyInfo | undefined> {
  try {
    const { json } = await client.call(
      { operation: 'balance', method: 'GET', path: '/key' },
      context,
    );
    const data = asObject(asObject(json)?.['data']);
    if (!data) return undefined;
    const remaining = data['limit_remaining'];
    return {
      label: asText(data['label']) ?? '',
      remaining:
        typeof remaining === 'number' && Number.isFinite(remaining) ? remaining : undefined,
      isFreeTier: data['is_free_tier'] === true,
    };
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_found') return undefined;
    throw thrown;
  }
}

/**
 * Checks the key with a minimal chat, for addresses without `GET /key`. It costs next to nothing.
 */
async function proveOpenRouterKey(client: OpenAiClient, context: ProviderContext): Promise<void> {
  const body = {
    model: 'openrouter/auto',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 1,
  };
  await client.call(
    { operation: 'balance', method: 'POST', path: '/chat/completions', body },
    context,
  );
}
