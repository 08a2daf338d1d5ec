import { isDeepStrictEqual } from 'node:util';
import type { AskAnswer, AskedBy, AskReport, AskRequest, Manager } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import type { CallStore } from '#core/stores/calls.ts';
import { askOf, wholeAnswer } from './answer-text.ts';
import type { Disk } from './disk.ts';
import type { Ice } from './ice.ts';
import { usageFault } from './usage-fault.ts';
import { MAX_RECORD_MS } from './sim-store.ts';
import type { Served, VendorBook } from './vendor-book.ts';
import type { World } from './world.ts';

/** One asking of a model, from `ask` to its end. */
interface WatchedAsk {
  readonly name: string;
  readonly request: AskRequest;
  readonly by: AskedBy;
  readonly startedAt: number;
  readonly frozenBeforeMs: number;
  told: string;
  report: AskReport | undefined;
  state: 'open' | 'over';
}

/** Sees what goes in and out of the manager, and holds it against what the vendors were asked. */
export interface AskWatch {
  wrap(manager: Manager): Manager;
  wrapStore(store: CallStore): CallStore;
  /** For whom an asking is; nothing where no asking is known by this name. */
  principalOf(ask: string | undefined): string | undefined;
  /** A vendor is asked, now. */
  asked(served: Served): void;
  /** A call was answered. */
  answered(reqId: string, answer: CallAnswer): void;
  readonly open: number;
  check(): void;
}

export interface AskWatchOptions {
  readonly world: World;
  readonly ice: Ice;
  readonly disk: Disk;
  readonly book: VendorBook;
}

export function createAskWatch({ world, ice, disk, book }: AskWatchOptions): AskWatch {
  const asks = new Map<string, WatchedAsk>();
  const open = new Set<WatchedAsk>();
  /** In the order in which they were given. */
  const reports = new Map<string, AskReport[]>();
  let unnamed = 0;

  const wasFrozen = ({ frozenBeforeMs }: WatchedAsk) => ice.frozenMs > frozenBeforeMs;
  // A tool may ask when its time is over already, and is refused then.
  const lateMs = ({ by, startedAt }: WatchedAsk) => world.now - Math.max(by.deadline.at, startedAt);

  function begin(request: AskRequest, by: AskedBy): WatchedAsk {
    const name = askOf(request.messages) ?? `${by.reqId}#unnamed${++unnamed}`;
    const ask: WatchedAsk = {
      name,
      request,
      by,
      startedAt: world.now,
      // What was held may find its deadline passed before anybody could look.
      frozenBeforeMs: ice.isFrozen ? -1 : ice.frozenMs,
      told: '',
      report: undefined,
      state: 'open',
    };
    asks.set(name, ask);
    open.add(ask);
    world.tell(
      'ask',
      () => `${name} ${JSON.stringify({ ...request, messages: request.messages.length })}`,
    );
    return ask;
  }

  function heardReport(ask: WatchedAsk, report: AskReport): void {
    if (ask.report) world.violate('report', `${ask.name} is reported twice`);
    ask.report = report;
    const { reqId } = ask.by;
    reports.set(reqId, [...(reports.get(reqId) ?? []), report]);
  }

  function over(ask: WatchedAsk): void {
    ask.state = 'over';
    open.delete(ask);
    if (!wasFrozen(ask) && lateMs(ask) > MAX_RECORD_MS)
      world.violate('ask-deadline', `${ask.name} ended ${lateMs(ask)} ms after its deadline`);
    const left = book.ofAsk(ask.name).filter(({ outcome }) => outcome === undefined);
    if (left.length > 0)
      world.violate('left-behind', `${ask.name} is over, and ${left[0]?.model} still answers it`);
    checkAttempts(ask);
    checkUsage(ask);
  }

  /** What is reported is what the vendors were asked, in this order. */
  function checkAttempts({ name, request, report }: WatchedAsk): void {
    if (!report) return;
    const models = new Set(report.attempts.map(({ provider, model }) => `${provider}/${model}`));
    if (request.fallback === 'none' && models.size > 1)
      world.violate('fallback', `${name} wants one model, and ${[...models].join(' ')} were asked`);
    const told = report.attempts.map(
      ({ provider, model, outcome }) => `${provider}/${model} ${outcome}`,
    );
    const real = book
      .ofAsk(name)
      .filter(({ kind }) => kind === 'answer')
      .map(({ provider, model, outcome }) => `${provider}/${model} ${outcome}`);
    if (!isDeepStrictEqual(told, real))
      world.violate(
        'attempts',
        `${name} tells of [${told.join(', ')}], and it was [${real.join(', ')}]`,
      );
  }

  /** Of all that is asked for one call, the last looks whether everything is on disk. */
  function checkUsage({ by: { reqId } }: WatchedAsk): void {
    const all = [...asks.values()].filter(({ by }) => by.reqId === reqId);
    if (all.some(({ state }) => state === 'open')) return;
    if (
      all.some(({ report }) => report?.notices.some((notice) => notice.includes('not be stored')))
    )
      return;
    const fault = usageFault(
      disk.usage.filter((row) => row.reqId === reqId),
      all.flatMap(({ name }) => book.ofAsk(name)),
    );
    if (fault !== undefined) world.violate('usage', `${reqId}: ${fault}`);
    const numbers = disk.attempts
      .filter((row) => row.reqId === reqId)
      .map(({ attempt }) => attempt);
    const told = all.flatMap(({ report }) => report?.attempts.map(({ attempt }) => attempt) ?? []);
    const ordered = (list: number[]) => list.toSorted((a, b) => a - b);
    const count = Array.from({ length: told.length }, (_, at) => at + 1);
    if (!isDeepStrictEqual(ordered(told), count))
      world.violate('attempts', `${reqId} numbers its attempts ${told.join(' ')}`);
    if (!isDeepStrictEqual(ordered(numbers), count))
      world.violate('attempts', `${reqId} has attempts ${numbers.join(' ')} on disk`);
  }

  function checkAnswer(
    { name, request, told }: WatchedAsk,
    answer: AskAnswer,
    hears: boolean,
  ): void {
    const { text, finish, provider, seams } = answer;
    if (hears && told !== text)
      world.violate('text', `${name} is told "${told}", and the answer is "${text}"`);
    // It quotes what was given.
    if (provider === 'local' || finish === 'tool_calls') return;
    const whole = wholeAnswer(name, request.responseFormat ? 'json' : 'text');
    const isRight = finish === 'stop' ? text === whole : text !== '' && whole.startsWith(text);
    if (!isRight)
      world.violate('text', `${name} is answered (${finish}) "${text}", not "${whole}"`);
    const ends = seams.map(({ at }) => at);
    if (ends.some((at, index) => at <= (ends[index - 1] ?? 0) || at >= text.length))
      world.violate('text', `${name} has seams at ${ends.join(' ')} of ${text.length}`);
  }

  function checkFailure({ name, request, told, report }: WatchedAsk, thrown: unknown): void {
    if (!(thrown instanceof CallError) || thrown.class === 'internal')
      return world.violate('typed', `${name} failed with ${String(thrown)}`);
    if (request.responseFormat || told === '') return;
    if (!wholeAnswer(name, 'text').startsWith(told))
      world.violate('text', `${name} was told "${told}", which is no beginning of its answer`);
    if (report?.partial !== told)
      world.violate('text', `${name} was told "${told}", and "${report?.partial}" is reported`);
  }

  return {
    wrap: (manager) => ({
      ...manager,
      async ask(request, by, listener = {}) {
        const ask = begin(request, by);
        const hears = listener.onText !== undefined;
        try {
          const answer = await manager.ask(request, by, {
            ...listener,
            ...(hears && {
              onText(text: string) {
                if (ask.state === 'over')
                  world.violate('text', `${ask.name} is told more after its end`);
                ask.told += text;
                listener.onText?.(text);
              },
            }),
            onReport(report) {
              heardReport(ask, report);
              listener.onReport?.(report);
            },
          });
          world.tell('ask', () => {
            const { provider, model, seams, report } = answer;
            return `${ask.name} is answered by ${provider}/${model} after ${report.attempts.length} attempts, ${seams.length} seams`;
          });
          if (!ask.report) world.violate('report', `${ask.name} is answered without a report`);
          checkAnswer(ask, answer, hears);
          return answer;
        } catch (thrown) {
          world.tell(
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

    wrapStore: (store) => ({
      ...store,
      spend(attempts, usage) {
        const reqId = attempts[0]?.reqId ?? usage[0]?.reqId;
        for (const ask of open)
          if (
            ask.by.reqId === reqId &&
            ask.report === undefined &&
            !wasFrozen(ask) &&
            lateMs(ask) > 0
          )
            world.violate(
              'ask-deadline',
              `${ask.name} goes on ${lateMs(ask)} ms after its deadline`,
            );
        return store.spend(attempts, usage);
      },
    }),

    principalOf: (ask) => asks.get(ask ?? '')?.by.caller.principal,

    asked(served) {
      const { provider, model, ask: name } = served;
      const ask = asks.get(name ?? '');
      world.tell(provider, () => `is asked ${model} for ${name} (${served.kind})`);
      if (!ask) return world.violate('asked', `${provider}/${model} is asked for nobody`);
      if (ask.state === 'over')
        world.violate('left-behind', `${provider}/${model} is asked for ${name}, which is over`);
      if (ask.by.signal.aborted)
        world.violate(
          'left-behind',
          `${provider}/${model} is asked for ${name}, which nobody wants`,
        );
      if (!wasFrozen(ask) && world.now >= ask.by.deadline.at)
        world.violate(
          'ask-deadline',
          `${provider}/${model} is asked for ${name} after its deadline`,
        );
    },

    answered(reqId, { envelope, error }) {
      const known = reports.get(reqId);
      if (!known) return;
      const told = envelope.route?.attempts ?? [];
      const real = known.flatMap(({ attempts }) => attempts);
      // A call that ended before its work tells of what was known by then.
      const until = error ? told.length : real.length;
      if (!isDeepStrictEqual(told, real.slice(0, until)))
        world.violate('attempts', `${reqId} tells of ${told.length} attempts, not ${real.length}`);
      if (envelope.attempt !== told.length)
        world.violate('attempts', `${reqId} counts ${envelope.attempt} attempts of ${told.length}`);
    },

    get open() {
      return open.size;
    },

    check() {
      for (const served of book.running) {
        const ask = asks.get(served.ask ?? '');
        if (ask?.by.signal.aborted)
          world.violate('left-behind', `${served.model} answers ${ask.name}, which nobody wants`);
      }
    },
  };
}
