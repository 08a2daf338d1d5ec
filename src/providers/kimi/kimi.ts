import type { ChatEvent, ChatMessage, ChatRequest } from '#core/chat.ts';
import { signalAt } from '#core/deadline.ts';
import { failing } from '#core/failing.ts';
import { eitherOf } from '#core/canceller.ts';
import type { Cancel } from '#core/http.ts';
import type { Ability, Provider, ProviderContext } from '#core/provider.ts';
import { namingSetting } from '../naming-setting.ts';
import { pickModel, type PickedModel } from '../pick-model.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { checkRequest } from '../wire/check-request.ts';
import type { ChatPlan } from '../wire/round.ts';
import { named } from '../wire/send.ts';
import { createWire } from '../wire/wire.ts';
import { checkAccount, readBalance, readModels } from './account.ts';
import { checkKimiRequest } from './check-kimi-request.ts';
import { countKimiTokens } from './count-tokens.ts';
import { classifyKimi } from './errors.ts';
import { createFiles } from './files.ts';
import { hostOf, KEY_FIXES, USUAL_URL } from './hosts.ts';
import type { KimiSettings } from './kimi-settings.ts';
import { describeMedia, inlineMedia } from './media.ts';
import { openedLater } from '../wire/opened-later.ts';
import { planChat } from './plan-chat.ts';
import { writeRequest } from './write-request.ts';

const ABILITIES: readonly Ability[] = [
  'web_search',
  'prefix',
  'upload',
  'file_content',
  'list_files',
  'delete_file',
  'count_tokens',
  'models',
  'balance',
];

export function createKimi(settings: KimiSettings, deps: ProviderDeps): Provider {
  const { key, baseUrl } = settings;
  const { clock, publicHttp, gate } = deps;
  const choice = () => ({ catalogue: deps.catalogue(), forbids: deps.forbids });
  const host = hostOf(baseUrl);
  const asked = { provider: 'kimi', setting: 'KIMI_API_URL', baseUrl, usual: USUAL_URL } as const;
  const wire = createWire({
    provider: 'kimi',
    title: 'Kimi',
    baseUrl,
    key,
    otherKeys: deps.keys ?? [],
    keyNeeded: { fixes: KEY_FIXES },
    http: deps.http,
    clock,
    random: deps.random,
    patience: deps.patience,
    idHeaders: ['msh-request-id', 'x-msh-trace-id', 'x-trace-id'],
    headers: {},
    marks: [],
    classify: (error) => classifyKimi(error, host),
    ...(gate && { gate }),
  });

  /** Without a key nothing will be asked, so nothing is fetched for it. */
  async function withMedia(
    messages: readonly ChatMessage[],
    context: ProviderContext,
    stop?: Cancel,
  ): Promise<readonly ChatMessage[]> {
    if (!key.isSet || areTexts(messages)) return messages;
    const timer = signalAt(context.deadline, clock, context.signal);
    const either = stop && eitherOf(timer.signal, stop);
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

  function plan(request: ChatRequest, { model, notices }: PickedModel): ChatPlan {
    return planChat(request, model, writeRequest(request, model), notices);
  }

  function ask(
    request: ChatRequest,
    picked: PickedModel,
    context: ProviderContext,
  ): AsyncIterable<ChatEvent> {
    return wire.chat(plan(request, picked), context);
  }

  async function askWithMedia(
    request: ChatRequest,
    picked: PickedModel,
    context: ProviderContext,
    stop: Cancel,
  ): Promise<AsyncIterable<ChatEvent>> {
    try {
      const messages = await withMedia(request.messages, context, stop);
      return ask({ ...request, messages }, picked, context);
    } catch (thrown) {
      throw named(thrown, undefined, { provider: 'kimi' });
    }
  }

  return {
    id: 'kimi',
    title: 'Kimi',
    can: ABILITIES,
    chat(request, context) {
      try {
        const picked = checked(request);
        if (areTexts(request.messages)) return ask(request, picked, context);
        return openedLater((stop) => askWithMedia(request, picked, context, stop));
      } catch (thrown) {
        return failing(named(thrown, undefined, { provider: 'kimi' }));
      }
    },
    preview(request) {
      try {
        const picked = checked(request);
        const messages = key.isSet ? describeMedia(request.messages, publicHttp) : request.messages;
        return wire.preview(plan({ ...request, messages }, picked));
      } catch (thrown) {
        throw named(thrown, undefined, { provider: 'kimi' });
      }
    },
    check: (context) => namingSetting(asked, () => checkAccount(wire, host, context)),
    models: (context) => readModels(wire, context),
    balance: (context) => readBalance(wire, host, context),
    ...createFiles(wire),
    async countTokens({ model: name, messages, tools = [] }, context) {
      try {
        const { model } = pickModel(name, 'kimi', choice());
        checkRequest({ model: name, messages, delivery: 'whole' }, model);
        const inlined = await withMedia(messages, context);
        return await countKimiTokens(inlined, tools, model, wire, context);
      } catch (thrown) {
        throw named(thrown, undefined, { provider: 'kimi' });
      }
    },
  };
}

/** Only what is no text has to be fetched, and waited for. */
function areTexts(messages: readonly ChatMessage[]): boolean {
  return messages.every(({ content }) => typeof content === 'string');
}
