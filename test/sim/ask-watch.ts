import { isDeepStrictEqual } from 'node:util';
import type { AskContext, AskReport, AskRequest, Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { CallResult } from '#core/calls/calls.ts';
import type { CallRecord, CallStore } from '#core/stores/calls.ts';
import { askOf, choiceName, renamed, wholeAnswer, wordsOf } from './answer-text.ts';
import type { AskingPlan } from './asking-plan.ts';
import type { Disk } from './disk.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import { hedgeFault } from './hedge-watch.ts';
import { createSpendWatch, type SpendWatch } from './spend-watch.ts';
import type { Served, VendorBook } from './vendor-book.ts';
import type { Simulation } from './simulation.ts';
import { checkAnswer, checkAttempts, type WatchedAsk } from './watched-ask.ts';

/** Sees what goes in and out of the manager, and holds it against what the vendors were asked. */
export interface AskWatch {
  wrap(manager: Manager): Manager;
  wrapStore(store: CallStore): CallStore;
  /** For whom an asking is; nothing where no asking is known by this name. */
  principalOf(ask: string | undefined): string | undefined;
  /** A vendor is asked, now. */
  asked(served: Served): void;
  /** The audit row of a call is given to the store. */
  recorded(row: CallRecord): void;
  /** A call was answered. */
  answered(reqId: string, answer: CallResult): void;
  readonly open: number;
  /** Whether a vendor is asked for what was over before it could know. */
  isOvertaken(served: Served): boolean;
  check(): void;
  /** Everything is written that ever will be. */
  checkStored(): void;
}

export interface AskWatchOptions {
  readonly maxVendorCalls: number;
  readonly hedge: AskingPlan['hedge'];
  /** A call is given more time, from now. */
  readonly onExtended: (reqId: string, ms: number) => void;
  /** How many keys a provider has. */
  readonly keysOf: (provider: string) => number;
  readonly simulation: Simulation;
  readonly daemonFreeze: DaemonFreeze;
  readonly disk: Disk;
  readonly book: VendorBook;
  /** Calls of whose attempts and usage a full disk refused some. */
  readonly unspent: ReadonlySet<string>;
}

/** The time reserved to report the outcome. */
const REPORT_MS = 500;

export function createAskWatch(options: AskWatchOptions): AskWatch {
  const { simulation, daemonFreeze, book, hedge } = options;
  const asks = new Map<string, WatchedAsk>();
  const open = new Set<WatchedAsk>();
  /** In the order in which they were given. */
  const reports = new Map<string, AskReport[]>();
  const overtaken = new Set<Served>();
  let unnamed = 0;
  let spending: SpendWatch | undefined;

  const wasFrozen = ({ frozenBeforeMs }: WatchedAsk) => daemonFreeze.frozenMs > frozenBeforeMs;
  // A tool may ask when its time is over already, and is refused then.
  const lateMs = ({ by, startedAt }: WatchedAsk) =>
    simulation.now - Math.max(by.deadline.at, startedAt);

  function begin(request: AskRequest, by: AskContext): WatchedAsk {
    const name = askOf(request.messages) ?? `${by.reqId}#unnamed${++unnamed}`;
    const ask: WatchedAsk = {
      name,
      request,
      by,
      startedAt: simulation.now,
      // What was held may find its deadline passed before anybody could look.
      frozenBeforeMs: daemonFreeze.isFrozen ? -1 : daemonFreeze.frozenMs,
      told: '',
      hasToldCalls: false,
      report: undefined,
      state: 'open',
    };
    asks.set(name, ask);
    open.add(ask);
    simulation.tell(
      'ask',
      () => `${name} ${JSON.stringify({ ...request, messages: request.messages.length })}`,
    );
    return ask;
  }

  /** Of several answers that are wanted to one question, each is asked for by a name of its own. */
  function toldApart(request: AskRequest): AskRequest {
    const name = askOf(request.messages);
    if (name === undefined || !asks.has(name)) return request;
    let choice = 1;
    while (asks.has(choiceName(name, choice))) choice += 1;
    return { ...request, messages: renamed(request.messages, name, choiceName(name, choice)) };
  }

  function heardReport(ask: WatchedAsk, report: AskReport): void {
    if (ask.report) simulation.violate('report', `${ask.name} is reported twice`);
    ask.report = report;
    const { reqId } = ask.by;
    reports.set(reqId, [...(reports.get(reqId) ?? []), report]);
  }

  function over(ask: WatchedAsk): void {
    ask.state = 'over';
    open.delete(ask);
    if (!wasFrozen(ask) && lateMs(ask) > 0)
      simulation.violate('ask-deadline', `${ask.name} ended ${lateMs(ask)} ms after its deadline`);
    const left = book.ofAsk(ask.name).filter(({ outcome }) => outcome === undefined);
    // Of one who was held, all times are over at once: whoever is asked has had no turn yet to see
    // its own.
    if (wasFrozen(ask)) for (const served of left) overtaken.add(served);
    else if (left.length > 0)
      simulation.violate(
        'left-behind',
        `${ask.name} is over, and ${left[0]?.model} still answers it`,
      );
    if (left.length === 0) checkAttempts(ask, options);
    checkCalls(ask);
    spending?.over(ask.by.reqId);
  }

  /** Our own limits refuse only if a queue is full, or no time is left to wait in it. */
  function checkQueue(ask: WatchedAsk, { class: errorClass }: CallError): void {
    if (errorClass !== 'over_capacity' || wasFrozen(ask)) return;
    const leftMs = ask.by.deadline.at - simulation.now;
    const isFull = book.ofAsk(ask.name).some(({ foundQueueFull }) => foundQueueFull);
    if (isFull || leftMs <= REPORT_MS || ask.request.timeoutMs !== undefined) return;
    simulation.violate('queue', `${ask.name} found no place, with ${leftMs} ms left`);
  }

  function extensible(by: AskContext): AskContext {
    if (!by.extend) return by;
    return {
      ...by,
      extend(ms) {
        options.onExtended(by.reqId, ms);
        by.extend?.(ms);
      },
    };
  }

  /** Each request to a vendor that was sent counts. */
  function checkCalls({ name }: WatchedAsk): void {
    const calls = book
      .ofAsk(name)
      .filter(({ kind, isAdmitted }) => kind === 'answer' && isAdmitted);
    if (calls.length > options.maxVendorCalls)
      simulation.violate('vendor-calls', `${name} made ${calls.length} requests to vendors`);
  }

  function checkFailure(ask: WatchedAsk, thrown: unknown): void {
    const { name, request, told, report } = ask;
    if (thrown instanceof CallError) checkQueue(ask, thrown);
    if (!(thrown instanceof CallError) || thrown.class === 'internal')
      return simulation.violate('typed', `${name} failed with ${String(thrown)}`);
    if (request.responseFormat || told === '') return;
    if (!wholeAnswer(name, 'text').startsWith(told))
      simulation.violate('text', `${name} was told "${told}", which is no beginning of its answer`);
    if (report?.partial !== told)
      simulation.violate(
        'text',
        `${name} was told "${told}", and "${report?.partial}" is reported`,
      );
  }

  /** What its reader has may be such that nobody may go on with it. */
  function checkTold(ask: WatchedAsk, { provider, model, kind }: Served): void {
    if (kind === 'aside') return;
    if (ask.hasToldCalls)
      simulation.violate('speaker', `${provider}/${model} goes on with a call of ${ask.name}`);
    if (ask.request.onInterruption === 'fail' && ask.told !== '')
      simulation.violate('speaker', `${provider}/${model} goes on with ${ask.name}, unwanted`);
  }

  /** Nobody may say more than is left of what was wanted. */
  function checkLimit(ask: WatchedAsk, { provider, model, kind, maxOutputTokens }: Served): void {
    const limit = ask.request.maxOutputTokens;
    if (kind === 'aside' || limit === undefined) return;
    const left = limit - wordsOf(ask.told).length;
    if (maxOutputTokens === undefined || maxOutputTokens > left)
      simulation.violate(
        'limits',
        `${provider}/${model} may say ${maxOutputTokens} for ${ask.name}, and ${left} are left`,
      );
  }

  /** What was asked for this call is written down: it must not have gone on for too long. */
  function checkTime(reqId: string | undefined): void {
    for (const ask of open) {
      if (ask.by.reqId !== reqId || ask.report !== undefined || wasFrozen(ask)) continue;
      if (lateMs(ask) > 0)
        simulation.violate(
          'ask-deadline',
          `${ask.name} goes on ${lateMs(ask)} ms after its deadline`,
        );
    }
  }

  return {
    wrap: (manager) => ({
      ...manager,
      async ask(asked, by, listener = {}) {
        const request = toldApart(asked);
        const ask = begin(request, by);
        const hears = listener.onText !== undefined;
        try {
          const answer = await manager.ask(request, extensible(by), {
            ...listener,
            ...(hears && {
              onText(text: string) {
                if (ask.state === 'over')
                  simulation.violate('text', `${ask.name} is told more after its end`);
                ask.told += text;
                listener.onText?.(text);
              },
            }),
            ...(listener.onToolCall && {
              onToolCall(piece) {
                ask.hasToldCalls = true;
                listener.onToolCall?.(piece);
              },
            }),
            onReport(report) {
              heardReport(ask, report);
              listener.onReport?.(report);
            },
          });
          simulation.tell('ask', () => {
            const { provider, model, seams, report } = answer;
            return `${ask.name} is answered by ${provider}/${model} after ${report.attempts.length} attempts, ${seams.length} seams`;
          });
          if (!ask.report) simulation.violate('report', `${ask.name} is answered without a report`);
          checkAnswer(ask, answer, hears, simulation);
          return answer;
        } catch (thrown) {
          simulation.tell(
            'ask',
            () => `${ask.name} failed: ${CallError.from(thrown).class} ${String(thrown)}`,
          );
          checkFailure(ask, thrown);
          throw thrown;
        } finally {
          over(ask);
        }
      },
    }),

    wrapStore(store) {
      const asksOf = (reqId: string) => [...asks.values()].filter(({ by }) => by.reqId === reqId);
      const watched = (spending = createSpendWatch({ ...options, store, asksOf }));
      return {
        ...store,
        recordUsage(attempts, usage) {
          checkTime(attempts[0]?.reqId ?? usage[0]?.reqId);
          return watched.spend(attempts, usage);
        },
      };
    },

    principalOf: (ask) => asks.get(ask ?? '')?.by.caller.principal,

    asked(served) {
      const { provider, model, ask: name } = served;
      const ask = asks.get(name ?? '');
      simulation.tell(provider, () => `is asked ${model} for ${name} (${served.kind})`);
      if (!ask) return simulation.violate('asked', `${provider}/${model} is asked for nobody`);
      if (ask.state === 'over')
        simulation.violate(
          'left-behind',
          `${provider}/${model} is asked for ${name}, which is over`,
        );
      checkTold(ask, served);
      checkLimit(ask, served);
      const beside = hedgeFault(served, {
        all: book.ofAsk(name ?? ''),
        hedge,
        isWanted: ask.request.fallback !== 'none',
        now: simulation.now,
        wasFrozen: wasFrozen(ask),
        isAloneAt: (vendor) => book.silentAt(vendor) < 2,
      });
      if (beside !== undefined) simulation.violate('hedge', `${name}: ${beside}`);
      if (ask.by.signal.aborted)
        simulation.violate(
          'left-behind',
          `${provider}/${model} is asked for ${name}, which nobody wants`,
        );
      if (!wasFrozen(ask) && simulation.now >= ask.by.deadline.at)
        simulation.violate(
          'ask-deadline',
          `${provider}/${model} is asked for ${name} after its deadline`,
        );
    },

    recorded: (row) => spending?.recorded(row),

    answered(reqId, answer) {
      const { envelope, error } = answer;
      spending?.answered(reqId, answer);
      const known = reports.get(reqId);
      if (!known) return;
      const told = envelope.route?.attempts ?? [];
      const real = known.flatMap(({ attempts }) => attempts);
      // A call that ended before its work tells of what was known by then.
      const until = error ? told.length : real.length;
      if (!isDeepStrictEqual(told, real.slice(0, until)))
        simulation.violate(
          'attempts',
          `${reqId} tells of ${told.length} attempts, not ${real.length}`,
        );
      if (envelope.attempt !== told.length)
        simulation.violate(
          'attempts',
          `${reqId} counts ${envelope.attempt} attempts of ${told.length}`,
        );
    },

    get open() {
      return open.size;
    },

    isOvertaken: (served) => overtaken.has(served),

    check() {
      for (const served of book.running) {
        const ask = asks.get(served.ask ?? '');
        if (ask?.by.signal.aborted)
          simulation.violate(
            'left-behind',
            `${served.model} answers ${ask.name}, which nobody wants`,
          );
      }
    },

    checkStored() {
      const left = spending?.pending ?? 0;
      if (left > 0)
        simulation.violate('usage', `of ${left} askings nobody knows whether they are stored`);
    },
  };
}
