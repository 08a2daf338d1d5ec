import { createBoundedMap } from '#core/bounded-map.ts';
import { rejectingIterator } from '#core/async-iterators.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Capability, Provider } from '#core/llm/provider.ts';
import type { Secret } from '#core/secrets/secret.ts';
import { withSettingHint } from '../setting-hint.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import type { ChatPlan } from '../openai-compatible/chat-plan.ts';
import { withProviderName } from '../openai-compatible/http.ts';
import { createOpenAiClient } from '../openai-compatible/openai-client.ts';
import type { OpenAiClientOptions } from '../openai-compatible/client-options.ts';
import type { Glm } from './call-glm.ts';
import { planGlmChat, pollAsync, submitAsync } from './chat.ts';
import { checkGlm, countTokens, embedWithGlm, listGlmModels, readPage } from './endpoints.ts';
import { createClassify } from './errors.ts';
import { fileContent, glmFiles } from './files.ts';
import { recogniseText } from './ocr.ts';
import { readSources, searchWeb, withMissingSourcesNotice } from './web-search.ts';
import { siteOf, SITES, type SiteName } from './site.ts';

export interface GlmSettings {
  /**
   * The address of api.z.ai or open.bigmodel.cn. With `/coding/paas/v4` chats are charged to a
   * Coding Plan.
   */
  readonly baseUrl: string;
  readonly key: Secret;
  /** The site, where the address does not show it. */
  readonly site?: SiteName;
}

const ABILITIES: readonly Capability[] = [
  'web_search',
  'upload',
  'list_files',
  'delete_file',
  'embed',
  'count_tokens',
  'models',
  'search',
  'read',
  'async_chat',
  'ocr',
];

/** Markers that its vision models put around an answer. */
const MARKS = ['<|begin_of_box|>', '<|end_of_box|>'];

/** Async chats whose prompt sizes are remembered. */
const MAX_LEFT_INPUTS = 1_000;

/** The provider for GLM: one vendor with two sites, ZhipuAI and Z.ai. */
export function createGlm(settings: GlmSettings, deps: ProviderDeps): Provider {
  const { key } = settings;
  const { http, clock, random, timeouts, forbids, acquirePermit } = deps;
  const choice = () => ({ catalogue: deps.catalogue(), forbids });
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const site = settings.site === undefined ? siteOf(baseUrl) : SITES[settings.site];
  const usual = SITES.zai.baseUrl;
  const address = { provider: 'glm', setting: 'GLM_API_URL', baseUrl, usual } as const;
  const options: OpenAiClientOptions = {
    provider: 'glm',
    title: 'GLM',
    baseUrl,
    key,
    otherKeys: deps.keys ?? [],
    keyNeeded: {
      fixes: [
        fix('add_key', { provider: 'glm' }),
        fix('set_setting', { setting: 'GLM_API_KEY' }),
        `Get one at ${site.keysAt}.`,
      ],
    },
    http,
    clock,
    random,
    timeouts,
    ...(acquirePermit && { acquirePermit }),
    // GLM documents no header with a request id; its response bodies have one.
    idHeaders: [],
    idFields: ['id', 'request_id'],
    // Without it errors are in Chinese.
    headers: { 'accept-language': 'en-US,en' },
    marks: MARKS,
    citations: readSources,
    classify: createClassify({ site, baseUrl, clock }),
  };
  const client = createOpenAiClient(options);
  const leftInputs = createBoundedMap<string, number>({ maxEntries: MAX_LEFT_INPUTS });
  const glm: Glm = { client, options, site, leftInputs };
  // Only files for extraction have a text to read.
  const extracts = site.purposes.extract !== undefined;

  const files = glmFiles(glm, clock);

  return {
    id: 'glm',
    title: 'GLM',
    capabilities: extracts ? [...ABILITIES, 'file_content'] : ABILITIES,
    chat(request, context) {
      let plan: ChatPlan;
      try {
        plan = planGlmChat(request, choice(), site);
      } catch (thrown) {
        return rejectingIterator(withProviderName(thrown, request.model.slice(0, 200), options));
      }
      const events = client.chat(plan, context);
      return request.webSearch ? withMissingSourcesNotice(events) : events;
    },
    preview(request) {
      try {
        return client.preview(planGlmChat(request, choice(), site));
      } catch (thrown) {
        throw withProviderName(thrown, request.model.slice(0, 200), options);
      }
    },
    check: (context) => withSettingHint(address, () => checkGlm(glm, context)),
    models: (context) => listGlmModels(glm, context),
    ...files,
    ...(extracts && { fileContent: (id, context) => fileContent(glm, id, context) }),
    ocr: (file, context) => recogniseText(glm, file, choice(), context),
    embed: (input, context) => embedWithGlm(glm, input, choice(), context),
    countTokens: (input, context) => countTokens(glm, input, choice(), context),
    search: (query, context) => searchWeb(glm, query, context),
    read: (page, context) => readPage(glm, page, context),
    submitAsync: (request, context) => submitAsync(glm, request, choice(), context),
    pollAsync: (id, context) => pollAsync(glm, id, context),
  };
}
