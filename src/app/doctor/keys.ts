import type { Config } from '#config/config.schema.ts';
import { listKeys, type KeyInfo } from '#config/keys.ts';
import { describeOrigin } from '#config/origin.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { findProvider } from '#core/providers/list.ts';
import type { System } from '../system.ts';
import type { Check, Examine } from './check.ts';

/** Keys are only looked for here; whether a provider takes them is the work of `exai keys test`. */
export const keys: Examine = async ({ loaded, notices, system }) => {
  if (loaded instanceof CallError) return [];
  // A daemon that cannot be asked is told of where it was asked first.
  const told = await notices().catch(() => []);
  return Promise.all(
    listKeys(loaded).map((key) =>
      findProvider(key.name)?.needs === 'address'
        ? ownServer(key, loaded.config, system)
        : Promise.resolve(keyed(key, told)),
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

/** Whether the running daemon lacks the value that this shell has; `stored`: only until it is restarted. */
function differingState(
  variable: string,
  notices: readonly SentNotice[],
): 'stored' | 'missing' | undefined {
  for (const { data } of notices)
    if (data?.code === 'setting_differs' && data.params.variable === variable)
      return data.params.state;
  return undefined;
}

/** Known by its address; a key is its own affair. */
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

/** Loaded by those alone who allow the look. */
async function lookForServer({ network, providers }: Config, clock: Clock): Promise<string> {
  const { lookForCustomServer } = await import('../outside/look-for-custom-server.ts');
  // Nothing shall change here, so nothing is recorded; the certificates are another check's matter.
  return lookForCustomServer(providers.custom, { ...network, record: '', caFile: '' }, clock);
}
