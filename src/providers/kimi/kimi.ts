import { deferIterator, rejectingIterator } from '#core/async-iterators.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatMessage, ChatRequest } from '#core/llm/chat.ts';
import type { Capability, Provider, ProviderContext } from '#core/llm/provider.ts';
import { anySignal, type AbortSignalLike } from '#core/net/abort.ts';
import type { Secret } from '#core/secrets/secret.ts';
import { signalAt } from '#core/time/deadline.ts';
import type { ChatPlan } from '../openai-compatible/chat-plan.ts';
import { withProviderName } from '../openai-compatible/http.ts';
import { createOpenAiClient } from '../openai-compatible/openai-client.ts';
import { checkRequest } from '../openai-compatible/request/check-request.ts';
import { pickModel, type PickedModel } from '../pick-model.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { withSettingHint } from '../setting-hint.ts';
import { checkAccount, countKimiTokens, readBalance, readKimiModels } from './endpoints.ts';
import { classifyKimi } from './errors.ts';
import { createKimiFiles } from './files.ts';
import { KIMI_KEY_FIXES, kimiHostOf, USUAL_URL } from './hosts.ts';
import { describeMedia, inlineMedia } from './media.ts';
import { checkKimiRequest, planKimiChat } from './chat.ts';
import { loadFormulaSearch } from './formula-search.ts';
import { writeKimiRequest } from './request.ts';
import { OWN_SEARCH, ownSearch, type SearchFunctions } from './search-functions.ts';

const ABILITIES: readonly Capability[] = [
  'web_search',
  'prefix',
  'upload',
  'file_content',
  'list_files',
  'delete_file',
  'count_tokens',
  'models',
  'balance',
  'ocr',
];

export function createKimi(settings: KimiSettings, deps: ProviderDeps): Provider {
  const { key, baseUrl } = settings;
  const { clock, publicHttp, acquirePermit } = deps;
  const usesFormula = ({ webSearch }: ChatRequest) =>
    settings.formulaSearch === true && webSearch !== undefined && key.isSet;
  const choice = () => ({ catalogue: deps.catalogue(), forbids: deps.forbids });
  const host = kimiHostOf(baseUrl);
  const address = { provider: 'kimi', setting: 'KIMI_API_URL', baseUrl, usual: USUAL_URL } as const;
  const client = createOpenAiClient({
    provider: 'kimi',
    title: 'Kimi',
    baseUrl,
    key,
    otherKeys: deps.keys ?? [],
    keyNeeded: { fixes: KIMI_KEY_FIXES },
    http: deps.http,
    clock,
    random: deps.random,
    timeouts: deps.timeouts,
    idHeaders: ['msh-request-id', 'x-msh-trace-id', 'x-trace-id'],
    headers: {},
    marks: [],
    classify: (error) => classifyKimi(error, host),
    ...(acquirePermit && { acquirePermit }),
  });

  /**
   * Fetches media and puts them inline. Without a key the request will fail, so nothing is fetched.
   */
  async function withMedia(
    messages: readonly ChatMessage[],
    context: ProviderContext,
    stop?: AbortSignalLike,
  ): Promise<readonly ChatMessage[]> {
    if (!key.isSet || areTexts(messages)) return messages;
    const timer = signalAt(context.deadline, clock, context.signal);
    const either = stop && anySignal(timer.signal, stop);
    try {
      return await inlineMedia(messages, publicHttp, either?.signal ?? timer.signal);
    } finally {
      either?.dispose();
      timer.dispose();
    }
  }

  function checked(request: ChatRequest): PickedModel {
    const picked = pickModel(request.model, 'kimi', choice());
    checkRequest(request, picked.model);
    checkKimiRequest(request, picked.model);
    return picked;
  }

  function plan(
    request: ChatRequest,
    { model, notices }: PickedModel,
    functions?: SearchFunctions,
  ): ChatPlan {
    return planKimiChat(request, model, writeKimiRequest(request, model, functions), notices);
  }

  /** Our search, unless Kimi is to use its own or the caller has a tool of that name. */
  function ownFunctions(
    { webSearch, tools = [] }: ChatRequest,
    { searchWeb }: ProviderContext,
  ): SearchFunctions | undefined {
    if (!webSearch || !searchWeb || tools.some(({ name }) => name === OWN_SEARCH)) return undefined;
    return ownSearch(webSearch, searchWeb);
  }

  /** The Formula search; where Kimi does not have it, the search that is used without the setting. */
  async function formulaFunctions(
    request: ChatRequest,
    context: ProviderContext,
  ): Promise<SearchFunctions | undefined> {
    try {
      const functions = await loadFormulaSearch(client, context);
      const taken = new Set(request.tools?.map(({ name }) => name));
      return functions.names.some((name) => taken.has(name))
        ? ownFunctions(request, context)
        : functions;
    } catch (thrown) {
      const isAbsent =
        thrown instanceof CallError && ['not_found', 'bad_response'].includes(thrown.class);
      if (!isAbsent) throw thrown;
      return ownFunctions(request, context);
    }
  }

  function ask(
    request: ChatRequest,
    picked: PickedModel,
    context: ProviderContext,
    functions = ownFunctions(request, context),
  ): AsyncIterable<ChatEvent> {
    return client.chat(plan(request, picked, functions), context);
  }

  /** Asks after what has to be fetched first: media, and definitions of the Formula search. */
  async function askPrepared(
    request: ChatRequest,
    picked: PickedModel,
    context: ProviderContext,
    stop: AbortSignalLike,
  ): Promise<AsyncIterable<ChatEvent>> {
    try {
      const messages = await withMedia(request.messages, context, stop);
      const functions = usesFormula(request) ? await formulaFunctions(request, context) : undefined;
      return ask({ ...request, messages }, picked, context, functions);
    } catch (thrown) {
      throw withProviderName(thrown, undefined, { provider: 'kimi' });
    }
  }

  return {
    id: 'kimi',
    title: 'Kimi',
    capabilities: ABILITIES,
    chat(request, context) {
      try {
        const picked = checked(request);
        if (areTexts(request.messages) && !usesFormula(request)) {
          return ask(request, picked, context);
        }
        return deferIterator((stop) => askPrepared(request, picked, context, stop));
      } catch (thrown) {
        return rejectingIterator(withProviderName(thrown, undefined, { provider: 'kimi' }));
      }
    },
    preview(request) {
      try {
        const picked = checked(request);
        const messages = key.isSet ? describeMedia(request.messages, publicHttp) : request.messages;
        return client.preview(plan({ ...request, messages }, picked));
      } catch (thrown) {
        throw withProviderName(thrown, undefined, { provider: 'kimi' });
      }
    },
    check: (context) => withSettingHint(address, () => checkAccount(client, host, context)),
    models: (context) => readKimiModels(client, context),
    balance: (context) => readBalance(client, host, context),
    ...createKimiFiles(client, clock),
    async countTokens({ model: name, messages, tools = [] }, context) {
      try {
        const { model } = pickModel(name, 'kimi', choice());
        checkRequest({ model: name, messages, delivery: 'whole' }, model);
        const inlined = await withMedia(messages, context);
        return await countKimiTokens(inlined, tools, model, client, context);
      } catch (thrown) {
        throw withProviderName(thrown, undefined, { provider: 'kimi' });
      }
    },
  };
}

/** Whether all messages are plain text, so that nothing has to be fetched. */
function areTexts(messages: readonly ChatMessage[]): boolean {
  return messages.every(({ content }) => typeof content === 'string');
}

export interface KimiSettings {
  /** Such as `https://api.moonshot.ai/v1`, or a proxy in front of it such as MoonPalace. */
  readonly baseUrl: string;
  readonly key: Secret;
  /** Whether Kimi searches by its Formula tools instead of its built-in search. */
  readonly formulaSearch?: boolean;
}
