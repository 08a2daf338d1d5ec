import { OWNER } from '#auth/authenticator.ts';
import { clientNameOfPrincipal, OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type {
  BreakerFinding,
  Diagnostics,
  ProviderFinding,
} from '#core/diagnostics/diagnostics.ts';
import { CallError } from '#core/errors/call-error.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { CallCosts, CallRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { formatBudgetLeft, formatExhausted, formatWhole } from '#core/text/format.ts';
import { createZonedTimestamps } from '#core/time/timestamps.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { PageCall, PageData, PageProvider, PageUsage } from '#transport/page/page-data.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { reachableUrl } from '../listeners/daemon-url.ts';
import { withTimeout } from '../with-timeout.ts';

export interface PageReaderOptions {
  readonly loaded: Pick<LoadedConfig, 'config'>;
  readonly store: {
    readonly calls: Pick<Store['calls'], 'costs'>;
    readonly usage: Pick<Store['usage'], 'totals'>;
  };
  readonly ops: Pick<
    Diagnostics,
    | 'build'
    | 'uptimeMs'
    | 'endpoint'
    | 'gateway'
    | 'providers'
    | 'breakers'
    | 'spending'
    | 'calls'
    | 'notices'
  >;
  readonly modelDirectory: Pick<ModelDirectory, 'providers'>;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_CALLS = 20;
/** The audit also has changed settings, which are not calls. */
const MAX_RECORDS = 60;
const SETTING_CHANGED = 'config_reload:';
const READ_TIMEOUT_MS = 5000;
/** The wall clock may be adjusted while a call runs. */
const SLACK_MS = 60_000;
/** Results are shared this long, so that a page that is reloaded all the time costs little. */
const FRESH_MS = 1000;

/** Creates the function that reads what the page shows. Parts that fail are left out. */
export function createPageReader(options: PageReaderOptions): () => Promise<PageData> {
  const { clock } = options;
  const timestamps = createZonedTimestamps(() => options.loaded.config.timezone);
  const localTime = (at: number) => timestamps(at).timestamp_local;
  let last: { readonly at: number; readonly data: Promise<PageData> } | undefined;
  return () => {
    if (last && clock.monotonic() - last.at < FRESH_MS) return last.data;
    const data = readPage(options, localTime);
    last = { at: clock.monotonic(), data };
    return data;
  };
}

async function readPage(
  { ops, store, modelDirectory, clock, log }: PageReaderOptions,
  localTime: (at: number) => string,
): Promise<PageData> {
  const part = async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      const read = await withTimeout(clock, READ_TIMEOUT_MS, work());
      return read === 'late' ? undefined : read;
    } catch (thrown) {
      log.warn('page_part_not_read', { part: name, error: CallError.from(thrown).toJSON() });
      return undefined;
    }
  };
  const [breakers, today, calls] = await Promise.all([
    part('breakers', () => ops.breakers()),
    part('usage', () => readToday(ops, store.usage)),
    part('calls', () => readCalls(ops, store.calls, localTime)),
  ]);
  const fixes = new Map(modelDirectory.providers().map(({ id, fix }) => [String(id), fix]));
  return {
    version: ops.build.version,
    uptimeS: Math.floor(ops.uptimeMs() / 1000),
    readAt: localTime(clock.now()),
    url: reachableUrl(ops.endpoint() ?? ''),
    gateway: ops.gateway() === undefined ? 'off' : 'on',
    providers: ops
      .providers()
      .map((provider) => toPageProvider(provider, breakers, fixes.get(provider.name))),
    today,
    calls,
    notices: ops.notices().map(baseRenderer.notice),
  };
}

async function readToday(
  ops: PageReaderOptions['ops'],
  usage: PageReaderOptions['store']['usage'],
): Promise<PageUsage> {
  const spending = await ops.spending(OWNER);
  const { day } = spending;
  const totals = await usage.totals({ fromDay: day, toDay: day });
  const sum = (name: 'input' | 'output') => totals.reduce((all, total) => all + total[name], 0);
  const balance = formatExhausted(spending.exhausted);
  return {
    day,
    requests: spending.calls,
    inputTokens: sum('input'),
    outputTokens: sum('output'),
    costMicroUsd: spending.costMicroUsd,
    remarks: [
      ...remark(spending.unpriced, 'without a known price'),
      ...remark(spending.estimated, 'with estimated tokens'),
      ...[formatBudgetLeft(spending) ?? []].flat(),
      ...(balance === undefined ? [] : [`Balance ${balance}.`]),
    ],
  };
}

function remark(count: number, what: string): string[] {
  return count === 0 ? [] : [`${formatWhole(count)} of the requests ${what}.`];
}

/** `breakers` is undefined where they could not be read. */
function toPageProvider(
  { name, title, configured }: ProviderFinding,
  breakers: readonly BreakerFinding[] | undefined,
  fix: string | undefined,
): PageProvider {
  const own = (breakers ?? []).filter(({ key }) => key === name || key.startsWith(`${name}/`));
  const notClosed = own.filter(({ state }) => state !== 'closed');
  const account = own.find(({ key }) => key === name);
  const reasons = notClosed.map(({ key, state, because }) => because ?? `${key} is ${state}`);
  return {
    title,
    isSetUp: configured,
    breaker: breakers === undefined ? 'unknown' : breakerState(account?.state ?? 'closed'),
    details: configured ? reasons : [fix ?? []].flat(),
  };
}

function breakerState(state: string): PageProvider['breaker'] {
  return state === 'open' || state === 'half_open' || state === 'closed' ? state : 'unknown';
}

async function readCalls(
  ops: PageReaderOptions['ops'],
  store: PageReaderOptions['store']['calls'],
  localTime: (at: number) => string,
): Promise<readonly PageCall[]> {
  const records = await ops.calls({ limit: MAX_RECORDS });
  const calls = records.filter(({ tool }) => !tool.startsWith(SETTING_CHANGED)).slice(0, MAX_CALLS);
  const costs = await store.costs({
    reqIds: calls.map(({ reqId }) => reqId),
    sinceMs: Math.floor(Math.min(...calls.map(({ at, elapsedMs }) => at - elapsedMs))) - SLACK_MS,
    untilMs: Math.max(...calls.map(({ at }) => at)) + SLACK_MS,
  });
  return calls.map((call) => toPageCall(call, costs, localTime));
}

function toPageCall(
  call: CallRecord,
  costs: CallCosts,
  localTime: (at: number) => string,
): PageCall {
  const { reqId, at, tool, status, errorClass, elapsedMs } = call;
  const usage = costs.usage.filter((each) => each.reqId === reqId);
  const attempts = costs.attempts.filter((each) => each.reqId === reqId);
  const models = [...attempts, ...usage].map(({ provider, model }) => `${provider}/${model}`);
  const isPriced = usage.some(({ priced }) => priced);
  return {
    at: new Date(at).toISOString(),
    shownAt: localTime(at),
    tool: describeTool(tool),
    client: clientOf(call),
    models: [...new Set(models)],
    outcome: describeOutcome(errorClass ?? status),
    result: errorClass === null ? (status === 'degraded' ? 'degraded' : 'ok') : 'failed',
    elapsedMs,
    costMicroUsd: isPriced ? usage.reduce((all, each) => all + each.costMicroUsd, 0) : undefined,
  };
}

/** Calls that are not of tools have a kind in the audit: `resource:job`. */
function describeTool(name: string): string {
  return name.replace(':', ' ');
}

function describeOutcome(outcome: string): string {
  return outcome === 'success' ? 'ok' : outcome.replaceAll('_', ' ');
}

/** The agent or program as it names itself, and whose access it uses. */
function clientOf({ principal, agent, clientInfo }: CallRecord): string {
  const access = principal === OWNER_PRINCIPAL ? 'owner' : clientNameOfPrincipal(principal);
  const program = agent ?? clientInfo?.name;
  return program === undefined ? access : `${program} (${access})`;
}
