import type { Config } from '#config/schema/config.schema.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Provider, ProviderContext, ProviderModel } from '#core/llm/provider.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { otherUse } from '#models/built-in.ts';
import { listedReasons } from '#models/model-lists.ts';
import { addedModels, addedProviders, type AddedProvider } from '../providers/added-providers.ts';
import { findCustomServer } from '../providers/custom-server.ts';
import { rolesOfModels } from '../providers/model-directory.ts';
import { createNetwork } from '../providers/network.ts';
import { createProviders } from '../providers/providers.ts';
import { SILENT_LOG } from '../providers/silent-log.ts';
import type { System } from '../system.ts';

const TIMEOUT_MS = 15_000;

type Machine = Pick<System, 'clock' | 'random'>;

/** Uses one provider of these settings, without a daemon. */
async function withProvider<T>(
  { config }: Pick<LoadedConfig, 'config'>,
  name: string,
  { clock, random }: Machine,
  use: (provider: Provider, context: ProviderContext) => Promise<T>,
): Promise<T> {
  const secrets = () => secretValues(config);
  const settings = { ...config.network, record: '' };
  const network = await createNetwork({ settings, clock, log: SILENT_LOG, secrets });
  try {
    const known = createCatalogue([], { added: addedModels(config) });
    const customUrl =
      name === 'custom'
        ? await findCustomServer(config.providers.custom, network.http, clock, SILENT_LOG)
        : '';
    const catalogue = () => known;
    const providers = createProviders({ config, network, clock, random, catalogue, customUrl });
    const provider = [...providers.values()].find(({ id }) => id === name);
    if (!provider) throw noProvider(name, config);
    const signal = new AbortController().signal;
    return await use(provider, { signal, deadline: deadlineIn(clock, TIMEOUT_MS) });
  } finally {
    await network.close();
  }
}

function noProvider(name: string, { providers }: Pick<Config, 'providers'>): CallError {
  const names = ['kimi', 'glm', 'openrouter', 'custom', ...Object.keys(providers.added)];
  return new CallError('not_found', `There is no provider ${JSON.stringify(name)}.`, {
    field: 'name',
    fix: `Use one of ${names.join(', ')}, or add it: exai providers add ${name}`,
  });
}

/** The added provider of these settings, by its name. */
export function findAddedProvider(
  { config }: Pick<LoadedConfig, 'config'>,
  name: string,
): AddedProvider {
  const found = addedProviders(config).find(({ id }) => id === name);
  if (found) return found;
  throw noProvider(name, config);
}

/** What a provider would bring, before it is stored. */
export interface ProviderFindings {
  /** Chat models that it lists, with what is known of them; undefined if it has no list. */
  readonly models: readonly ProviderModel[] | undefined;
  /** Roles whose model would change, and how. */
  readonly roles: readonly string[];
}

/** Asks a provider of these settings for its models; throws one sentence about what is wrong. */
export async function examineProvider(
  loaded: LoadedConfig,
  name: string,
  machine: Machine,
): Promise<ProviderFindings> {
  const added = findAddedProvider(loaded, name);
  const models = await withProvider(loaded, name, machine, async (provider, context) => {
    if (!provider.models) return undefined;
    try {
      return await provider.models(context);
    } catch (thrown) {
      throw explainFailure(CallError.from(thrown), added, addCommand(added));
    }
  });
  const chat = models?.filter(({ id }) => otherUse(id) === undefined);
  if (chat) requireModels(added, chat);
  return { models: chat, roles: changedRoles(loaded, name) };
}

/** Asks a model of the provider for one token; returns the model's id. */
export async function tryProvider(
  loaded: LoadedConfig,
  name: string,
  model: string,
  machine: Machine,
): Promise<{ readonly model?: string; readonly words: string }> {
  const added = addedProviders(loaded.config).find(({ id }) => id === name);
  return withProvider(loaded, name, machine, async (provider, context) => {
    try {
      if (!provider.tryModel) return { words: await provider.check(context) };
      const asked = await provider.tryModel(model, context);
      return { model: asked, words: `${asked} answered.` };
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (added && error.class === 'not_found' && error.model !== undefined)
        throw await missingModel(error, error.model, added, provider, context);
      throw added ? explainFailure(error, added, `exai keys add ${added.id}`) : error;
    }
  });
}

const UNREACHABLE: ReadonlySet<ErrorClass> = new Set(['network', 'timeout']);
const NO_SERVER: ReadonlySet<ErrorClass> = new Set(['bad_response', 'not_found', 'bad_request']);
const REFUSED: ReadonlySet<ErrorClass> = new Set(['auth', 'permission']);

/** The command that adds this provider with another key. */
function addCommand({ id, preset, baseUrl }: AddedProvider): string {
  const named = preset && preset.id !== id ? ` --preset ${preset.id}` : '';
  const url = baseUrl === preset?.baseUrl ? '' : ` --url ${baseUrl}`;
  return `exai providers add ${id}${named}${url}${preset?.key === 'required' ? '' : ' --key'}`;
}

/**
 * One sentence for each thing that can be wrong: the address, the key, the kind of server.
 * `giveKey`: the command that stores a key.
 */
function explainFailure(
  error: CallError,
  { title, baseUrl, keys }: AddedProvider,
  giveKey: string,
): CallError {
  const { host } = new URL(baseUrl);
  const { fixes: _fixes, ...known } = error.facts();
  const facts = { ...known, cause: error };
  if (UNREACHABLE.has(error.class)) {
    return new CallError(error.class, `${title} cannot be reached at ${host}.`, {
      ...facts,
      field: '--url',
      fix: `Check the address and that the server runs. ${error.message}`,
    });
  }
  if (REFUSED.has(error.class)) {
    const hasKey = keys.some((key) => key !== '');
    const what = hasKey ? 'refused the key' : 'needs a key';
    return new CallError(error.class, `${title} at ${host} ${what}.`, {
      ...facts,
      field: 'key',
      fix: hasKey ? `Copy the key again, then: ${giveKey}` : giveKey,
    });
  }
  if (NO_SERVER.has(error.class) && error.model === undefined) {
    const message = `${host} answers, but not as an OpenAI-compatible server: it has no list of models.`;
    return new CallError(error.class, message, {
      ...facts,
      field: '--url',
      fix: 'Give the address of its API; most servers answer below /v1, such as http://127.0.0.1:8000/v1.',
    });
  }
  if (error.fix !== undefined) return error;
  const fix = `Look whether ${host} works, then run the command again.`;
  return new CallError(error.class, error.message, { ...facts, fix });
}

const MAX_SHOWN = 8;

/** The provider does not know a model: names those that it lists, if it does. */
async function missingModel(
  error: CallError,
  model: string,
  { id, title }: AddedProvider,
  provider: Provider,
  context: ProviderContext,
): Promise<CallError> {
  const listed = (await provider.models?.(context).catch(() => undefined)) ?? [];
  const [first] = listed.filter((each) => otherUse(each.id) === undefined);
  const { fixes: _fixes, ...facts } = error.facts();
  return new CallError('not_found', `${title} has no model ${JSON.stringify(model)}.`, {
    ...facts,
    field: '--model',
    fix: first ? `exai providers test ${id} --model ${first.id}` : 'List its models: exai models',
    cause: error,
  });
}

/** Throws if a model that the user named is not in the list. */
function requireModels({ title, models, preset }: AddedProvider, listed: readonly ProviderModel[]) {
  const presetModels = new Set(preset?.models.map(({ id }) => id));
  const missing = models.find(
    ({ id }) => !presetModels.has(id) && !listed.some((each) => each.id === id),
  );
  if (!missing || listed.length === 0) return;
  const names = listed.slice(0, MAX_SHOWN).map(({ id }) => id);
  const more = listed.length > names.length ? ` and ${listed.length - names.length} more` : '';
  throw new CallError('not_found', `${title} has no model ${JSON.stringify(missing.id)}.`, {
    field: '--model',
    fix: `Use one of ${names.join(', ')}${more}.`,
  });
}

function changedRoles({ config }: LoadedConfig, name: string): readonly string[] {
  const { [name]: _added, ...others } = config.providers.added;
  const before = { providers: { ...config.providers, added: others } };
  const against = listedReasons({ allow: config.models.allow, deny: config.models.deny });
  const rolesBy = (by: Pick<Config, 'providers'>) =>
    rolesOfModels(createCatalogue([], { added: addedModels(by) }), config.models, against);
  const [was, is] = [rolesBy(before), rolesBy(config)];
  return [...is].flatMap(([role, { provider, id }]) => {
    const old = was.get(role);
    if (old?.provider === provider && old.id === id) return [];
    return [`models.${role} becomes ${provider}/${id} (now ${old?.id ?? 'none'})`];
  });
}
