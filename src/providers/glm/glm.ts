import { createBoundedMap } from '#core/bounded-map.ts';
import { failing } from '#core/failing.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Ability, Provider } from '#core/provider.ts';
import type { Secret } from '#core/secret.ts';
import { namingSetting } from '../naming-setting.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import type { ChatPlan } from '../wire/round.ts';
import { named } from '../wire/send.ts';
import { createWire } from '../wire/wire.ts';
import type { WireOptions } from '../wire/wire-options.ts';
import type { Glm } from './ask-glm.ts';
import { asyncAnswer, chatLater } from './async-chat.ts';
import { checkGlm } from './check.ts';
import { countTokens } from './count-tokens.ts';
import { embed } from './embed.ts';
import { createClassify } from './errors.ts';
import { deleteFile, fileContent, listFiles, uploadFile } from './files.ts';
import { listModels } from './models.ts';
import { planChat } from './plan-chat.ts';
import { readPage } from './read-page.ts';
import { searchWeb } from './search.ts';
import { siteOf, SITES, type SiteName } from './site.ts';
import { sourcesGiven } from './sources-given.ts';
import { readSources } from './web-search.ts';

export interface GlmSettings {
  /** Of api.z.ai or open.bigmodel.cn; with `/coding/paas/v4` chats are charged to a Coding Plan. */
  readonly baseUrl: string;
  readonly key: Secret;
  /** Whose rules hold, where the address does not tell. */
  readonly site?: SiteName;
}

const ABILITIES: readonly Ability[] = [
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
];

/** Box marks that its vision models leave around an answer. */
const MARKS = ['<|begin_of_box|>', '<|end_of_box|>'];

/** Calls that were left with the vendor. */
const MAX_LEFT_INPUTS = 1_000;

/** ZhipuAI and Z.ai: one vendor with two shops. */
export function createGlm(settings: GlmSettings, deps: ProviderDeps): Provider {
  const { key } = settings;
  const { http, clock, random, patience, forbids, gate } = deps;
  const choice = () => ({ catalogue: deps.catalogue(), forbids });
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const site = settings.site === undefined ? siteOf(baseUrl) : SITES[settings.site];
  const usual = SITES.zai.baseUrl;
  const asked = { provider: 'glm', setting: 'GLM_API_URL', baseUrl, usual } as const;
  const options: WireOptions = {
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
    patience,
    ...(gate && { gate }),
    // It documents no header that names a request; its answers do.
    idHeaders: [],
    idFields: ['id', 'request_id'],
    // Errors come in Chinese otherwise.
    headers: { 'accept-language': 'en-US,en' },
    marks: MARKS,
    citations: readSources,
    classify: createClassify({ site, baseUrl, clock }),
  };
  const wire = createWire(options);
  const leftInputs = createBoundedMap<string, number>({ maxEntries: MAX_LEFT_INPUTS });
  const glm: Glm = { wire, options, site, leftInputs };
  // Extraction is the only purpose that gives a text back.
  const extracts = site.purposes.extract !== undefined;

  return {
    id: 'glm',
    title: 'GLM',
    can: extracts ? [...ABILITIES, 'file_content'] : ABILITIES,
    chat(request, context) {
      let plan: ChatPlan;
      try {
        plan = planChat(request, choice(), site);
      } catch (thrown) {
        return failing(named(thrown, request.model.slice(0, 200), options));
      }
      const events = wire.chat(plan, context);
      return request.webSearch ? sourcesGiven(events) : events;
    },
    preview(request) {
      try {
        return wire.preview(planChat(request, choice(), site));
      } catch (thrown) {
        throw named(thrown, request.model.slice(0, 200), options);
      }
    },
    check: (context) => namingSetting(asked, () => checkGlm(glm, context)),
    models: (context) => listModels(glm, context),
    upload: (file, context) => uploadFile(glm, file, context),
    ...(extracts && { fileContent: (id, context) => fileContent(glm, id, context) }),
    listFiles: (context) => listFiles(glm, context),
    deleteFile: (id, context) => deleteFile(glm, id, context),
    embed: (input, context) => embed(glm, input, choice(), context),
    countTokens: (input, context) => countTokens(glm, input, choice(), context),
    search: (query, context) => searchWeb(glm, query, context),
    read: (page, context) => readPage(glm, page, context),
    chatLater: (request, context) => chatLater(glm, request, choice(), context),
    asyncAnswer: (id, context) => asyncAnswer(glm, id, context),
  };
}
