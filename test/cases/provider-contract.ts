import type { LoadedConfig } from '#config/load/load.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { addedModels, addedProviders } from '#app/providers/added-providers.ts';
import { createNetwork } from '#app/providers/network.ts';
import { createProviders } from '#app/providers/providers.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { withRoleModels } from '#models/roles.ts';
import { createListLog } from '../list-log.ts';
import { CONTRACT_CASES, type ContractCase } from './provider-contract-cases.ts';
import { describeContractCost, type DueCase } from './provider-contract-cost.ts';
import { CONTRACT_RULES } from './provider-contract-rules.ts';

/** How a case of the contract went with a provider. */
export interface ContractResult {
  readonly provider: ProviderId;
  readonly case: string;
  readonly is: 'ok' | 'failed' | 'not run';
  /** What came back, what went wrong, or why it was not run. */
  readonly words: string;
  readonly errorClass?: ErrorClass;
  readonly elapsedMs: number;
}

export interface ContractOptions {
  /** In place of the models that are asked by default. */
  readonly models?: Readonly<Partial<Record<ProviderId, string>>>;
  /** `nothing`: the cost alone is told. */
  readonly asks?: 'all' | 'nothing';
  /** Hears what the cases cost at most, before the first of them. */
  readonly onCost?: (lines: readonly string[]) => void;
}

const CASE_MS = 120_000;
const ASKED = ['kimi', 'glm', 'openrouter', 'custom'] as const;
type Asked = (typeof ASKED)[number];
const ALL_CASES = [...CONTRACT_CASES, ...CONTRACT_RULES];

/**
 * Asks every provider that is configured for a little of everything. Providers are asked side by
 * side, each one thing at a time.
 */
export async function runContract(
  { config }: LoadedConfig,
  { models = {}, asks = 'all', onCost }: ContractOptions = {},
): Promise<readonly ContractResult[]> {
  const network = await createNetwork({
    settings: config.network,
    clock: systemClock,
    log: createListLog(),
    secrets: () => secretValues(config),
  });
  const catalogue = createCatalogue([], { added: addedModels(config) });
  const providers = createProviders({
    config,
    network,
    clock: systemClock,
    random: systemRandom,
    catalogue: () => catalogue,
    customUrl: config.providers.custom.baseUrl,
  });
  const roles = withRoleModels(config.models);
  const usual: Readonly<Record<Asked, string>> = {
    kimi: roles.kimiDefault.models[0] ?? '',
    glm: roles.glmSpeed.models[0] ?? '',
    openrouter: 'z-ai/glm-4.5-air',
    custom: config.providers.custom.model,
  };
  const missing: Readonly<Record<Asked, string | undefined>> = {
    kimi: unset(config.providers.kimi.apiKey, 'KIMI_API_KEY'),
    glm: unset(config.providers.glm.apiKey, 'GLM_API_KEY'),
    openrouter: unset(config.providers.openrouter.apiKey, 'OPENROUTER_API_KEY'),
    custom: unset(config.providers.custom.baseUrl, 'CUSTOM_API_URL'),
  };

  const added = addedProviders(config);
  const missingOf = (id: ProviderId) =>
    isAsked(id) ? missing[id] : added.find((each) => each.id === id)?.lacks?.fix;
  const modelOf = (id: ProviderId, { only }: ContractCase) =>
    only?.model ??
    models[id] ??
    (isAsked(id) ? usual[id] : (added.find((each) => each.id === id)?.models[0]?.id ?? ''));
  const casesOf = (id: ProviderId) =>
    ALL_CASES.filter(({ only }) => only === undefined || only.provider === id);
  const whyNotRun = (id: ProviderId, each: ContractCase) => {
    const provider = providers.get(id);
    return missingOf(id) ?? (provider ? whyNot(provider, each) : 'there is no such provider');
  };

  async function runAll(id: ProviderId): Promise<readonly ContractResult[]> {
    const provider = providers.get(id);
    const results: ContractResult[] = [];
    for (const each of casesOf(id)) {
      const why = whyNotRun(id, each);
      const about = { provider: id, case: each.name };
      results.push(
        provider && why === undefined
          ? { ...about, ...(await runCase(provider, each, modelOf(id, each))) }
          : { ...about, is: 'not run', words: why ?? '', elapsedMs: 0 },
      );
    }
    return results;
  }

  const all: readonly ProviderId[] = [...ASKED, ...added.map(({ id }) => id)];
  const due = all.flatMap((provider) =>
    casesOf(provider)
      .filter((each) => whyNotRun(provider, each) === undefined)
      .map((each): DueCase => ({ provider, model: modelOf(provider, each), case: each })),
  );
  onCost?.(describeContractCost(due, catalogue));
  try {
    if (asks === 'nothing') return [];
    return (await Promise.all(all.map(runAll))).flat();
  } finally {
    await network.close();
  }
}

const isAsked = (id: ProviderId): id is Asked => (ASKED as readonly string[]).includes(id);

function unset(value: string, name: string): string | undefined {
  return value === '' ? `${name} is not set` : undefined;
}

function whyNot(
  { title, capabilities: can }: Provider,
  { needs }: ContractCase,
): string | undefined {
  const lacks = needs.find((ability) => !can.includes(ability));
  return lacks && `${title} has no ${lacks}`;
}

async function runCase(
  provider: Provider,
  { run }: ContractCase,
  model: string,
): Promise<Omit<ContractResult, 'provider' | 'case'>> {
  const startedAt = systemClock.monotonic();
  const context = (): ProviderContext => ({
    signal: new AbortController().signal,
    deadline: deadlineIn(systemClock, CASE_MS),
  });
  const elapsedMs = () => Math.round(systemClock.monotonic() - startedAt);
  try {
    const words = await run(provider, model, context);
    return { is: 'ok', words, elapsedMs: elapsedMs() };
  } catch (thrown) {
    const { class: errorClass, message, fix } = CallError.from(thrown);
    // A setting that is missing says nothing about the vendor.
    const is = errorClass === 'not_configured' ? 'not run' : 'failed';
    const words = is === 'not run' && fix !== undefined ? `${message} ${fix}` : message;
    return { is, words, errorClass, elapsedMs: elapsedMs() };
  }
}

/** Providers × cases, as Markdown. */
export function showContract(results: readonly ContractResult[]): string {
  const lines = results.map(({ provider, case: name, is, words, errorClass, elapsedMs }) => {
    const outcome =
      is === 'ok'
        ? `ok: ${words}`
        : is === 'failed'
          ? `failed: ${errorClass} ${words}`
          : `not run: ${words}`;
    const ms = is === 'not run' ? '' : String(elapsedMs);
    return `| ${provider} | ${name} | ${outcome.replaceAll('|', '\\|')} | ${ms} |`;
  });
  const count = (is: ContractResult['is']) => results.filter((each) => each.is === is).length;
  return [
    '| provider | case | outcome | ms |',
    '|---|---|---|---|',
    ...lines,
    '',
    `${count('ok')} ok, ${count('failed')} failed, ${count('not run')} not run`,
  ].join('\n');
}
