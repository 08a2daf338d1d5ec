import { listKeys, type KeyInfo } from '#config/secrets/keys.ts';
import { describeOtherVendorKeys, useOtherVendorKeys } from '#config/secrets/other-vendor-keys.ts';
import type { Config } from '#config/schema/config.schema.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { describeOrigin } from '#config/load/origin.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { findProvider } from '#core/providers/list.ts';
import { providerHelp } from '#core/providers/provider-help.ts';
import {
  WAITING_METHOD,
  type WaitingAccount,
  type WaitingAnswer,
} from '../admin/account-methods.ts';
import { testKeys, type KeyTest } from '../admin/test-keys.ts';
import type { System } from '../system.ts';
import { requestFromDaemon, type Check, type CheckContext, type RunCheck } from './check.ts';
import { RELOAD_COMMAND } from './older-settings.ts';

const ASK_TIMEOUT_MS = 3000;

/** Begins the ids of the checks of added providers. */
export const ADDED_CHECK = 'key_added_';

/**
 * Asks each provider whether it accepts its key, in parallel and in bounded time. Asks none while
 * answers are replayed.
 */
export async function askProviders(
  loaded: LoadedConfig | CallError,
  system: Pick<System, 'clock' | 'random'>,
): Promise<readonly KeyTest[]> {
  if (loaded instanceof CallError || loaded.config.network.replay !== '') return [];
  // Nothing may change here, so nothing is recorded.
  const network = { ...loaded.config.network, record: '' };
  const config = { ...loaded.config, network };
  const { clock, random } = system;
  return testKeys({ ...loaded, config }, { clock, random, timeoutMs: ASK_TIMEOUT_MS });
}

/** Whether each provider can be used: by its own answer, and by what the running daemon has. */
export const checkKeys: RunCheck = async (context) => {
  const { loaded, notices, keyTests, changed } = context;
  if (loaded instanceof CallError) return [];
  // An unreachable daemon was reported by the check that requested it first.
  const [daemonNotices, tests, changes, waiting] = await Promise.all([
    notices().catch(() => []),
    testsOrFailure(keyTests),
    changed(),
    fetchWaiting(context),
  ]);
  return listKeys(loaded).flatMap((key): Check[] => {
    const isProvider = findProvider(key.name) !== undefined || key.added !== undefined;
    const test =
      tests instanceof CallError ? undefined : tests.find(({ name }) => name === key.name);
    if (!isProvider) return key.used ? [plainKey(key)] : [];
    const obstacle = obstacleInDaemon(key, {
      notices: daemonNotices,
      change: changes.find(({ key: name }) => name === key.name),
      waiting: waiting.find(({ provider }) => provider === key.name),
    });
    const found = providerCheck(key, test, obstacle);
    const isServer = key.name === 'custom';
    const isOff = isServer && found.status === 'off';
    return [isOff ? { ...found, ...noServer(loaded.config.providers.custom) } : found];
  });
};

/** Keys of vendors that are not used, which a new user may expect to be. */
export const checkOtherVendorKeys: RunCheck = ({ env }) => {
  const names = describeOtherVendorKeys(env);
  if (names === '') return [];
  const detail = `the environment has ${names}; EX-AI uses no key unasked`;
  const check = { id: 'other_vendor_keys', title: 'Other keys', status: 'off' } as const;
  return [{ ...check, detail, fix: useOtherVendorKeys(env) }];
};

/** Settings that prevent asking at all, such as a missing certificate file, have their own check. */
async function testsOrFailure(
  keyTests: CheckContext['keyTests'],
): Promise<readonly KeyTest[] | CallError> {
  try {
    return await keyTests();
  } catch (thrown) {
    return CallError.from(thrown);
  }
}

async function fetchWaiting(context: CheckContext): Promise<readonly WaitingAccount[]> {
  try {
    const response = await requestFromDaemon(context, (ask) => ask(WAITING_METHOD, {}));
    return (response as WaitingAnswer | undefined)?.accounts ?? [];
  } catch {
    return [];
  }
}

/** A key of something other than a provider, which is not asked. */
function plainKey({ name, title, set, origin }: KeyInfo): Check {
  const check = { id: `key_${name}`, title };
  if (!set) return { ...check, status: 'off', detail: 'no key', fix: `exai keys add ${name}` };
  return { ...check, status: 'ok', detail: sourceOf(origin) };
}

/**
 * Why the running daemon cannot use a key that its provider accepts. `detail` follows the origin of
 * the key and begins with its punctuation.
 */
export type DaemonObstacle = Pick<Check, 'detail' | 'answers'> & { readonly fix: string };

interface DaemonView {
  readonly notices: readonly SentNotice[];
  readonly change: { readonly before: 'set' | 'unset' } | undefined;
  readonly waiting: WaitingAccount | undefined;
}

export function obstacleInDaemon(
  { name, origin }: Pick<KeyInfo, 'name' | 'origin'>,
  { notices, change, waiting }: DaemonView,
): DaemonObstacle | undefined {
  const fix = origin?.kind === 'env' ? commandForDiffering(origin.name, notices) : undefined;
  if (fix !== undefined) {
    return { detail: ' in this shell; the running daemon has another one or none', fix };
  }
  if (change?.before === 'unset') {
    return {
      detail: ', stored since the daemon started, which does not have it',
      fix: RELOAD_COMMAND,
    };
  }
  if (change) {
    const detail = ', changed since the daemon started, which has the one before';
    return { detail, fix: RELOAD_COMMAND, answers: 'yes' };
  }
  if (!waiting) return undefined;
  const seconds = Math.ceil(waiting.retryInMs / 1000);
  return {
    detail: `; the daemon does not use it for another ${seconds} s because it was refused before`,
    fix: `exai keys test ${name}`,
    ...(seconds === 0 && { answers: 'yes' }),
  };
}

/** The command that gives the daemon the value of this shell; undefined if the daemon has it. */
function commandForDiffering(variable: string, notices: readonly SentNotice[]): string | undefined {
  for (const { data } of notices)
    if (data?.code === 'setting_differs' && data.params.variable === variable)
      return data.params.command;
  return undefined;
}

/** What the user's own server lacks: an address, as it needs no key. */
function noServer({ discover }: Config['providers']['custom']): Pick<Check, 'detail' | 'fix'> {
  return discover
    ? {
        detail: 'no server found on the usual ports',
        fix: 'Start Ollama, vLLM, llama.cpp or LM Studio, or set CUSTOM_API_URL.',
      }
    : {
        detail: 'no address',
        fix: 'Set CUSTOM_API_URL and CUSTOM_MODEL, for Ollama or any OpenAI-like server; CUSTOM_DISCOVER=true looks for one here.',
      };
}

/** `test`: undefined if no provider could be asked. */
export function providerCheck(
  { name, title, set, origin, added }: KeyInfo,
  test: KeyTest | undefined,
  obstacle: DaemonObstacle | undefined,
): Check {
  const check = { id: `${added ? ADDED_CHECK : 'key_'}${name}`, title };
  const isServer = added ? !set : findProvider(name)?.needs === 'address';
  const isUnset = test ? test.is === 'not set' : !set && added !== 'may_have_key';
  if (isUnset && added && test) {
    return { ...check, status: 'off', detail: 'not set up', fix: test.words };
  }
  if (isUnset) return { ...check, status: 'off', detail: 'no key', fix: `exai keys add ${name}` };
  const source = isServer ? `at ${test?.host ?? 'its address'}` : sourceOf(origin);
  if (test && test.is !== 'accepted' && test.is !== 'not tested') {
    const own = obstacle ? ` (${source}${obstacle.detail})` : ` (${source})`;
    const fix = helpFor(name, test);
    const next = nextFor(name, test);
    return { ...check, status: 'warn', detail: `${test.words}${own}`, fix, ...(next && { next }) };
  }
  if (obstacle) {
    const { detail, fix, answers } = obstacle;
    const accepted = test?.is === 'accepted' ? 'accepted: ' : '';
    return {
      ...check,
      status: 'warn',
      detail: `${accepted}${source}${detail}`,
      fix,
      ...(answers && { answers }),
    };
  }
  const detail = test?.is === 'accepted' ? `${test.words}; ${source}` : `not asked; ${source}`;
  return { ...check, status: 'ok', detail };
}

function helpFor(name: string, { fix, errorClass }: KeyTest): string {
  if (errorClass === 'billing' || errorClass === 'quota') {
    const help = providerHelp(name, errorClass);
    return `${help.charAt(0).toUpperCase()}${help.slice(1)}`;
  }
  return fix ?? (errorClass === 'auth' ? `exai keys add ${name}` : `exai keys test ${name}`);
}

/** The command for the end of the report; the row explains it. */
function nextFor(name: string, { is }: KeyTest): string | undefined {
  if (is === 'refused') return `exai keys add ${name}`;
  return is === 'unreachable' ? `exai keys test ${name}` : undefined;
}

function sourceOf(origin: KeyInfo['origin']): string {
  return origin ? `key from ${describeOrigin(origin)}` : 'key';
}
