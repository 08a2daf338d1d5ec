import { readEnvelope } from '#client/read-envelope.ts';
import type { Config } from '#config/schema/config.schema.ts';
import { listKeys, type KeyInfo } from '#config/secrets/keys.ts';
import { describeOrigin } from '#config/load/origin.ts';
import type { ExhaustedBalance } from '#core/diagnostics/diagnostics.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/diagnostics/usage-report.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { distinctNotices } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { CONFIGURED_PROVIDERS, findProvider } from '#core/providers/list.ts';
import type { Clock } from '#core/time/clock.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { filterPermitted, listedReasons } from '#models/model-lists.ts';
import { retiringSoon } from '#models/retiring-soon.ts';
import { resolveRole, ROLE_NAMES, roleSetting, withRoleModels } from '#models/roles.ts';
import { rolesOfModels } from '../providers/model-directory.ts';
import type { System } from '../system.ts';
import { requestFromDaemon, type Check, type Question, type RunCheck } from './check.ts';

/**
 * Reports accounts that refused the key or require payment, as known to the running daemon. Sends
 * no new requests.
 */
export const checkAccounts: RunCheck = async (context) => {
  const { loaded } = context;
  if (loaded instanceof CallError) return [];
  const found = await requestFromDaemon(context, findAccounts);
  if (!found) return [];
  return listKeys(loaded).flatMap(({ name, title, set }): Check[] => {
    // The account of a removed key is irrelevant.
    if (!found.resting.includes(name) || !(set || findProvider(name)?.needs === 'address'))
      return [];
    const lacks = found.exhausted.find(({ provider }) => provider === name)?.errorClass;
    return [accountCheck({ name, title }, lacks)];
  });
};

interface AccountsFinding {
  /** Accounts with an open breaker. */
  readonly resting: readonly string[];
  /** Those of them that require payment. */
  readonly exhausted: readonly ExhaustedBalance[];
}

/** Only a refused key and missing payment block a whole account. */
async function findAccounts(ask: Question): Promise<AccountsFinding> {
  const health = { name: 'health', arguments: { tail_lines: 0 } };
  const resting = restingAccounts(await ask('tools/call', health));
  if (resting.length === 0) return { resting, exhausted: [] };
  const { exhausted } = (await ask(USAGE_METHODS.spending, {})) as SpendingReport;
  return { resting, exhausted };
}

interface HealthEnvelope {
  readonly content?: { readonly breakers?: readonly { key: string; state: string }[] } | null;
}

export function restingAccounts(result: unknown): readonly string[] {
  const envelope = readEnvelope(result) as HealthEnvelope | undefined;
  const breakers = envelope?.content?.breakers ?? [];
  return breakers.flatMap(({ key, state }) => {
    const isAccount = !key.includes('/');
    return isAccount && state !== 'closed' ? [key] : [];
  });
}

export function accountCheck(
  { name, title }: { readonly name: string; readonly title: string },
  lacks: ExhaustedBalance['errorClass'] | undefined,
): Check {
  const check = { id: `account_${name}`, title: 'Account', status: 'warn' } as const;
  const test = `exai keys test ${name}`;
  if (lacks === undefined) {
    const detail = `${title} refused the key when it was last asked`;
    return { ...check, detail, fix: test };
  }
  const did = lacks === 'billing' ? 'wanted payment' : 'had no allowance left';
  const detail = `${title} ${did} when it was last asked`;
  return { ...check, detail, fix: `Top it up at the provider, then: ${test}` };
}

/** Checks only whether keys are set; `exai keys test` tests whether providers accept them. */
export const checkKeys: RunCheck = async ({ loaded, notices, system }) => {
  if (loaded instanceof CallError) return [];
  // An unreachable daemon was reported by the check that requested it first.
  const daemonNotices = await notices().catch(() => []);
  return Promise.all(
    listKeys(loaded).map((key) =>
      findProvider(key.name)?.needs === 'address'
        ? ownServer(key, loaded.config, system)
        : Promise.resolve(keyed(key, daemonNotices)),
    ),
  );
};

function keyed({ name, title, set, origin }: KeyInfo, notices: readonly SentNotice[]): Check {
  const check = { id: `key_${name}`, title };
  if (!set) return { ...check, status: 'off', detail: 'no key', fix: `exai keys add ${name}` };
  const source = origin ? ` from ${describeOrigin(origin)}` : '';
  const differing = origin?.kind === 'env' ? differingState(origin.name, notices) : undefined;
  if (differing !== undefined) {
    const detail = `key${source} in this shell; the running daemon has another one or none`;
    const fix = differing === 'stored' ? 'exai stop' : `exai keys add ${name}, then: exai stop`;
    return { ...check, status: 'warn', detail, fix };
  }
  return { ...check, status: 'ok', detail: `key${source}` };
}

/**
 * Whether the running daemon lacks the value that this shell has; `stored`: only until it is
 * restarted.
 */
function differingState(
  variable: string,
  notices: readonly SentNotice[],
): 'stored' | 'missing' | undefined {
  for (const { data } of notices)
    if (data?.code === 'setting_differs' && data.params.variable === variable)
      return data.params.state;
  return undefined;
}

/** Identified by its address; a key is optional. */
async function ownServer(
  { name, title }: KeyInfo,
  config: Config,
  { clock }: System,
): Promise<Check> {
  const check = { id: `key_${name}`, title };
  const { baseUrl, discover } = config.providers.custom;
  if (baseUrl !== '') return { ...check, status: 'ok', detail: `at ${new URL(baseUrl).host}` };
  if (!discover) {
    const fix =
      'Set CUSTOM_API_URL and CUSTOM_MODEL, for Ollama or any OpenAI-like server; CUSTOM_DISCOVER=true looks for one here.';
    return { ...check, status: 'off', detail: 'no address', fix };
  }
  const found = await lookForServer(config, clock);
  if (found === '') {
    const fix = 'Start Ollama, vLLM, llama.cpp or LM Studio, or set CUSTOM_API_URL.';
    return { ...check, status: 'off', detail: 'no server found on the usual ports', fix };
  }
  return { ...check, status: 'ok', detail: `found at ${new URL(found).host}` };
}

/** Imported only if discovery is allowed. */
async function lookForServer({ network, providers }: Config, clock: Clock): Promise<string> {
  const { discoverCustomServer } = await import('../providers/custom-server.ts');
  // Nothing may change here, so nothing is recorded; another check covers the certificates.
  return discoverCustomServer(providers.custom, { ...network, record: '', caFile: '' }, clock);
}

/** Checks that the configured models are known, allowed and not about to be retired. */
export const checkModels: RunCheck = async ({ loaded, system }) => {
  if (loaded instanceof CallError) return [];
  const { models: chosen, providers } = loaded.config;
  const catalogue = createCatalogue();
  const isAsked = (id: ProviderId) =>
    CONFIGURED_PROVIDERS.some((each) => each.id === id && providers[each.id].apiKey !== '');
  const roles = withRoleModels(chosen);
  const played = ROLE_NAMES.map((name) => ({ name, ...resolveRole(catalogue, roles, name) }));
  const lists = { allow: chosen.allow, deny: chosen.deny };
  const first = new Map(
    [...rolesOfModels(catalogue, chosen, listedReasons(lists))].map(([name, { id }]) => [id, name]),
  );

  const unknown = distinctNotices(played.flatMap(({ notices }) => notices)).map((each): Check => ({
    ...ABOUT,
    status: 'warn',
    detail: baseRenderer.notice(each),
    fix: 'exai models lists the names that there are.',
  }));
  const today = new Date(system.clock.now()).toISOString().slice(0, 10);
  const ending = retiringSoon(catalogue, today).flatMap(({ model, until, daysLeft }): Check[] => {
    const role = first.get(model.id);
    if (role === undefined || !isAsked(model.provider)) return [];
    const when = daysLeft < 0 ? `was to end on ${until}` : `ends on ${until}, in ${daysLeft} days`;
    const heir = model.successor === undefined ? '' : ` to ${model.successor}`;
    const detail = `${model.id}, the model of ${roleSetting(role)}, ${when}`;
    return [{ ...ABOUT, status: 'warn', detail, fix: `Set ${roleSetting(role)}${heir} in time.` }];
  });
  const troubles = [...unknown, ...listTroubles(catalogue.models, lists), ...ending];
  if (troubles.length > 0) return troubles;
  const live = catalogue.models.filter(({ state }) => state === 'live').length;
  return [{ ...ABOUT, status: 'ok', detail: `${live} known by name: exai models` }];
};

const ABOUT = { id: 'models', title: 'Models' };

function listTroubles(
  all: Parameters<typeof filterPermitted>[0],
  lists: Parameters<typeof filterPermitted>[1],
): readonly Check[] {
  try {
    return filterPermitted(all, lists).notices.map((each) => ({
      ...ABOUT,
      status: 'warn' as const,
      detail: baseRenderer.notice(each),
      fix: 'Name at least one of them that exai models shows, or remove the list.',
    }));
  } catch (thrown) {
    const { message, fix = '' } = CallError.from(thrown);
    return [{ ...ABOUT, status: 'fail', detail: message, fix }];
  }
}
