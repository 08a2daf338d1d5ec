import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { AskContext } from '#core/llm/ask.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { Provider, ProviderContext, ProviderId, VendorCalls } from '#core/llm/provider.ts';
import type { WebExchange, WebExchanges } from '#core/llm/web.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { PricedService } from '#core/providers/descriptor.ts';
import { PROVIDERS } from '#core/providers/list.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { deadlineIn, earlier } from '#core/time/deadline.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Model } from '#models/model.ts';
import type { Budgets } from '../budget/budgets.ts';
import { createAskObserver } from '../run/ask-observer.ts';
import { createLedger, recordUsage, type Ledger } from '../run/ledger.ts';
import { exchangeReport } from './exchange-report.ts';
import { runExchange, type ExchangeDeps } from './run-exchange.ts';

export interface WebExchangesDeps extends ExchangeDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly budgets: Pick<Budgets, 'reserve'>;
  /** Why a service cannot be used: no key, offline, excluded by a list. */
  readonly obstacle: (service: Model) => Reason | undefined;
  readonly spend: CallStore['recordUsage'];
  readonly log: Log;
  readonly crumbs: Log;
  readonly metrics: Metrics;
}

/** Web exchanges that may also be part of an ask, whose ledger then has their attempts. */
export interface AskWebExchanges extends WebExchanges {
  /** `vendorCalls` of the ask: each search counts as one of its requests. */
  searchWithin(
    ask: { readonly ledger: Ledger; readonly vendorCalls: VendorCalls },
    ...[query, by]: Parameters<WebExchanges['search']>
  ): Promise<Omit<WebExchange<Awaited<ReturnType<WebExchanges['search']>>['result']>, 'report'>>;
  canSearch(): boolean;
}

type Kind = 'search' | 'read';

/** A service of one provider that may be asked. */
interface Service {
  readonly target: Model;
  readonly maxMicroUsd: number;
  readonly provider: Provider;
}

/**
 * `of_ask`: the ask that it is part of holds a reservation; a second one would wait for that.
 */
type Spending = 'reserved' | 'of_ask';

interface Charged {
  readonly used?: { readonly model: string; readonly usage: TokenUsage };
}

/** A silent service is given up after this. */
const TIMEOUT_MS: Readonly<Record<Kind, number>> = { search: 30_000, read: 60_000 };

export function createWebExchanges(deps: WebExchangesDeps): AskWebExchanges {
  const { clock } = deps;
  const observer = createAskObserver(deps.crumbs, deps.metrics);

  /** The services of a kind in the order in which they are tried, and why others are not. */
  function servicesOf(kind: Kind, only: ProviderId | undefined) {
    const services: Service[] = [];
    const obstacles: { readonly provider: ProviderId; readonly reason: Reason }[] = [];
    for (const { id, web } of PROVIDERS) {
      const priced: PricedService | undefined = web?.[kind];
      const provider = deps.providers.get(id);
      if (!priced || !provider?.[kind] || (only !== undefined && only !== id)) continue;
      const target = assumeModel(priced.name, id);
      const obstacle = deps.obstacle(target);
      if (obstacle) obstacles.push({ provider: id, reason: obstacle });
      else services.push({ target, maxMicroUsd: priced.maxMicroUsd, provider });
    }
    return { services, obstacles };
  }

  /** Runs one service. What it may cost is reserved, and what it cost is booked. */
  async function runService<T extends Charged>(
    { target, maxMicroUsd }: Service,
    kind: Kind,
    work: (context: ProviderContext) => Promise<T>,
    by: AskContext,
    ledger: Ledger,
    next: string | undefined,
    spending: Spending,
  ): Promise<T> {
    const { deadline, signal } = by;
    const limit = spending === 'reserved' ? maxMicroUsd : 0;
    const reservation = await deps.budgets.reserve(by.caller.principal, limit, {
      deadline,
      signal,
    });
    let cost = 0;
    try {
      const limited = (context: ProviderContext) =>
        work({
          ...context,
          deadline: earlier(context.deadline, deadlineIn(clock, TIMEOUT_MS[kind])),
        });
      const exchange = { target, work: limited, ...(next !== undefined && { next }) };
      const result = await runExchange(exchange, by, ledger, deps);
      if (result.used) cost = ledger.used(target, result.used.usage);
      return result;
    } finally {
      reservation.settle(cost);
    }
  }

  /** Tries the services of a kind one after the other. */
  async function run<T extends Charged>(
    kind: Kind,
    call: (provider: Provider, context: ProviderContext) => Promise<T> | undefined,
    by: AskContext,
    ledger: Ledger,
    only: ProviderId | undefined,
    spending: Spending = 'reserved',
  ): Promise<{ readonly result: T; readonly provider: ProviderId; readonly reasons: Reason[] }> {
    const { services, obstacles } = servicesOf(kind, only);
    const failures: CallError[] = [];
    for (const [index, service] of services.entries()) {
      const after = services[index + 1]?.target;
      const next = after && `${after.provider}/${after.id}`;
      const work = async (context: ProviderContext): Promise<T> => {
        const asked = call(service.provider, context);
        if (!asked) throw new CallError('internal', `${service.provider.title} cannot ${kind}.`);
        return asked;
      };
      try {
        const result = await runService(service, kind, work, by, ledger, next, spending);
        return { result, provider: service.target.provider, reasons: failures.map(toReason) };
      } catch (thrown) {
        const error = CallError.from(thrown, {
          provider: service.target.provider,
          model: service.target.id,
        });
        if (!error.policy.fallback || by.signal.aborted) throw error;
        failures.push(error);
      }
    }
    throw failures.length === 0 ? missing(kind, obstacles) : failed(kind, failures);
  }

  const newLedger = (by: AskContext) => createLedger(by, clock, observer);

  /** An exchange without an ask, which is recorded at its end. */
  async function runAlone<T extends Charged>(
    kind: Kind,
    call: (provider: Provider, context: ProviderContext) => Promise<T> | undefined,
    by: AskContext,
    only: ProviderId | undefined,
  ): Promise<WebExchange<T>> {
    const ledger = newLedger(by);
    try {
      const { result, provider, reasons } = await run(kind, call, by, ledger, only);
      return { result, provider, report: exchangeReport(provider, ledger, reasons) };
    } finally {
      recordUsage(ledger, by, deps);
    }
  }

  return {
    search: (query, by, only) =>
      runAlone('search', (provider, context) => provider.search?.(query, context), by, only),
    searchWithin: ({ ledger, vendorCalls }, query, by) =>
      run(
        'search',
        (provider, context) => {
          countSearch(provider.id, vendorCalls);
          return provider.search?.(query, context);
        },
        by,
        ledger,
        undefined,
        'of_ask',
      ),
    read: (page, by, only) =>
      runAlone('read', (provider, context) => provider.read?.(page, context), by, only),
    canRead: () => servicesOf('read', undefined).services.length > 0,
    canSearch: () => servicesOf('search', undefined).services.length > 0,
  };
}

/** Counts a search as a request of its ask; one is kept for the answer. */
function countSearch(provider: ProviderId, vendorCalls: VendorCalls): void {
  const { left, max } = vendorCalls;
  if (left <= 1) {
    throw codedError('bad_response', reason('vendor_calls_used_up', { max }), {
      provider,
      fixes: [fix('raise_setting', { settings: ['fallback.maxVendorCalls'] })],
      dueTo: 'request',
      retry: 'never',
    });
  }
  vendorCalls.count();
}

function toReason({ class: errorClass, provider, model, message, reason: why }: CallError): Reason {
  return reason('passed_over', {
    class: errorClass,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    message,
    ...(why && { reason: why }),
  });
}

function missing(
  kind: Kind,
  why: readonly { readonly provider: ProviderId; readonly reason: Reason }[],
): CallError {
  const fixes: readonly Fix[] = why
    .filter(({ reason: each }) => each.code === 'no_key')
    .slice(0, 1)
    .map(({ provider }) => fix('add_key', { provider }));
  return codedError('not_configured', reason('no_web_service', { service: kind, why }), { fixes });
}

/** One failure is the error; several are summed up. */
function failed(kind: Kind, failures: readonly CallError[]): CallError {
  const [first] = failures;
  if (first && failures.length === 1) return first;
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const summary = failures.map(({ provider = '', message }) => ({ provider, message }));
  const why = reason('web_service_failed', { service: kind, failures: summary });
  return codedError('exhausted_fallback_chain', why, {
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    fixes: [fix('run_doctor'), fix('test_key')],
    cause: failures.at(-1),
  });
}
