import type { Manager } from '#core/llm/ask.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { Plants } from './plants.ts';

/** Every so often, from the first on. */
function now(every: number): () => boolean {
  let count = 0;
  return () => count++ % every === 0;
}

const NO_PERMIT = { success() {}, failure() {}, cancel() {} };

function around(breakers: Breakers, change: Partial<Breakers>): Breakers {
  return {
    tryAcquire: (asked, mode) => breakers.tryAcquire(asked, mode),
    look: (asked) => breakers.look(asked),
    all: () => breakers.all(),
    ...change,
  };
}

function asking(change: (ask: Manager['ask']) => Manager['ask']): Plants {
  return {
    manager: (manager) => ({ ...manager, ask: change((...asked) => manager.ask(...asked)) }),
  };
}

/** Stands between the text and whoever listens to it. */
function hearing(pass: (text: string, tell: (text: string) => void) => void): Plants {
  return asking((ask) => (request, by, listener) => {
    if (!listener?.onText) return ask(request, by, listener);
    const onText = (text: string) => pass(text, (told) => listener.onText?.(told));
    return ask(request, by, { ...listener, onText });
  });
}

/** Changes the first text of every attempt that goes on with what was told. */
function joining(change: (text: string, told: string) => string): Plants {
  return asking((ask) => (request, by, listener) => {
    if (!listener?.onText) return ask(request, by, listener);
    let told = '';
    let isSeam = false;
    return ask(request, by, {
      ...listener,
      onAsked(asked) {
        isSeam = told !== '';
        listener.onAsked?.(asked);
      },
      onText(text) {
        const said = isSeam ? change(text, told) : text;
        isSeam = false;
        told += said;
        if (said !== '') listener.onText?.(said);
      },
    });
  });
}

const SEAM_CHARS = 3;

/** What was spent is given to the store when the next record is with it. */
function overtakenSpend(): Plants {
  const held: (() => void)[] = [];
  return {
    managerStore: (store) => ({
      ...store,
      calls: {
        ...store.calls,
        recordUsage: (attempts, usage) =>
          new Promise((resolve, reject) => {
            held.push(() => void store.calls.recordUsage(attempts, usage).then(resolve, reject));
          }),
      },
    }),
    store: (store) => ({
      ...store,
      record(row) {
        const recorded = store.record(row);
        for (const give of held.splice(0)) give();
        return recorded;
      },
    }),
  };
}

export const ASK_PLANTS = {
  /** Asks go on when their call is over. */
  'endless-ask': (): Plants =>
    asking((ask) => (request, by, listener) => {
      const deadline = { at: by.deadline.at + 3000 };
      return ask(request, { ...by, deadline, signal: new AbortController().signal }, listener);
    }),
  /** A piece of the text is told once more. */
  'told-twice': (): Plants => {
    const isNow = now(5);
    return hearing((text, tell) => {
      tell(text);
      if (isNow()) tell(text);
    });
  },
  /** A piece of the text is kept from whoever listens. */
  'text-untold': (): Plants => {
    const isNow = now(5);
    return hearing((text, tell) => void (isNow() || tell(text)));
  },
  /** Where another goes on, the first characters are taken for a repetition. */
  'lost-at-seam': (): Plants => joining((text) => text.slice(SEAM_CHARS)),
  /** Where another goes on, the last characters are said again. */
  'doubled-at-seam': (): Plants => joining((text, told) => told.slice(-SEAM_CHARS) + text),
  /** What one said and what the next said is simply joined. */
  'joined-answers': (): Plants =>
    asking((ask) => async (request, by, listener) => {
      const answer = await ask(request, by, listener);
      const [first] = answer.seams;
      return first ? { ...answer, text: answer.text.slice(0, first.at) + answer.text } : answer;
    }),
  /** The attempts that failed are nobody's business. */
  'secret-attempts': (): Plants =>
    asking(
      (ask) =>
        (request, by, listener = {}) =>
          ask(request, by, {
            ...listener,
            onReport: (report) =>
              listener.onReport?.({
                ...report,
                attempts: report.attempts.filter(({ outcome }) => outcome === 'ok'),
              }),
          }),
    ),
  /** Another is asked whether its caller wants it or not. */
  'unwanted-fallback': (): Plants =>
    asking(
      (ask) => (request, by, listener) => ask({ ...request, fallback: 'chain' }, by, listener),
    ),
  /** Each asking of a call counts its attempts from 1. */
  'counted-anew': (): Plants =>
    asking((ask) => (request, by, listener) => {
      let count = 0;
      return ask(request, { ...by, nextAttempt: () => (count += 1) }, listener);
    }),
  'lost-usage': (): Plants => {
    const isNow = now(4);
    return {
      managerStore: (store) => ({
        ...store,
        calls: {
          ...store.calls,
          recordUsage: (attempts, usage) => store.calls.recordUsage(attempts, isNow() ? [] : usage),
        },
      }),
    };
  },
  /** The record of a call is on disk before what the call spent. */
  'overtaken-spend': overtakenSpend,
  'doubled-usage': (): Plants => ({
    managerStore: (store) => ({
      ...store,
      calls: {
        ...store.calls,
        recordUsage: (attempts, usage) =>
          store.calls.recordUsage(attempts, [...usage, ...usage.slice(0, 1)]),
      },
    }),
  }),
  /** Whoever is refused asks all the same. */
  'blind-breaker': (): Plants => ({
    breakers: (breakers) =>
      around(breakers, {
        tryAcquire(asked, mode) {
          const acquired = breakers.tryAcquire(asked, mode);
          return acquired.is === 'granted' ? acquired : { is: 'granted', permit: NO_PERMIT };
        },
      }),
  }),
  /** It rests for longer than it said. */
  'stubborn-breaker': (): Plants => ({
    breakers(breakers, clock) {
      const restsUntil = new Map<string, number>();
      return around(breakers, {
        tryAcquire(asked, mode) {
          const key = `${asked.provider}/${asked.model}`;
          if ((restsUntil.get(key) ?? 0) > clock.monotonic())
            return {
              is: 'refused',
              reason: reason('model_resting'),
              retryInMs: 1,
              isForcible: false,
            };
          const acquired = breakers.tryAcquire(asked, mode);
          if (acquired.is === 'refused')
            restsUntil.set(key, clock.monotonic() + acquired.retryInMs + 3000);
          return acquired;
        },
      });
    },
  }),
  /** Nobody tells a breaker how it went. */
  'forgotten-permit': (): Plants => ({
    leave: (breakers) =>
      around(breakers, {
        tryAcquire(asked, mode) {
          const acquired = breakers.tryAcquire(asked, mode);
          if (acquired.is === 'refused') return acquired;
          return { is: 'granted', permit: { ...acquired.permit, failure() {}, cancel() {} } };
        },
      }),
  }),
  /** A restart forgets every outage. */
  'forgotten-outage': (): Plants => ({
    managerStore: (store) => ({
      ...store,
      breakers: { ...store.breakers, all: () => Promise.resolve([]) },
    }),
  }),
  /** Nobody waits for what others have set aside. */
  'blind-budget': (): Plants => ({
    budgets: (budgets) => ({
      left: (principal) => budgets.left(principal),
      reserve: (principal, _max, wait) => budgets.reserve(principal, 0, wait),
    }),
  }),
  /** A restart forgets what was spent. */
  'forgotten-spending': (): Plants => ({
    managerStore: (store) => ({
      ...store,
      usage: { ...store.usage, totals: () => Promise.resolve([]) },
    }),
  }),
  'unsettled-reservation': (): Plants => {
    const isNow = now(3);
    return {
      budgets: (budgets) => ({
        left: (principal) => budgets.left(principal),
        async reserve(principal, max, wait) {
          const reservation = await budgets.reserve(principal, max, wait);
          return isNow() ? { settle() {} } : reservation;
        },
      }),
    };
  },
  /** The cancelled request of two is not paid for. */
  'free-hedge': (): Plants => ({
    managerStore: (store) => ({
      ...store,
      calls: {
        ...store.calls,
        recordUsage: (attempts, usage) =>
          store.calls.recordUsage(
            attempts,
            usage.filter(({ output, estimated }) => output > 0 || !estimated),
          ),
      },
    }),
  }),
  /** Others are asked beside one that has hardly begun. */
  'hasty-hedge': (): Plants => ({ hedgeLeastMs: 0 }),
  /** The slower of two is heard to its end. */
  'endless-hedge': (): Plants => ({
    provider: (provider) => ({
      ...provider,
      chat: (request, context) =>
        provider.chat(request, { ...context, signal: new AbortController().signal }),
    }),
  }),
  /** Nobody waits for a place for long. */
  'hasty-queue': (): Plants => ({ queueMs: () => 20 }),
  /** Comments of a vendor that thinks are not heard. */
  'unheard-comments': (): Plants => ({ keepAlive: () => undefined }),
  /** Comments are taken for words. */
  'endless-comments': (): Plants => ({ keepAlive: (pace) => pace.spoke() }),
  /** What a vendor says of its limits is not learnt. */
  'deaf-tier': (): Plants => ({ learn: () => undefined }),
  /** Of several keys only the first is used. */
  'one-key': (): Plants => ({ keys: (keys) => keys.slice(0, 1) }),
  /** Requests to vendors are not counted. */
  'uncounted-calls': (): Plants => ({ countCall: () => undefined }),
  /** A model that only thought is asked once more, whoever pays for it. */
  'unpaid-second-chance': (): Plants => ({
    provider: (provider) => ({
      ...provider,
      chat(request, context) {
        const admitFollowUp = () => Promise.resolve();
        return provider.chat(request, { ...context, admitFollowUp });
      },
    }),
  }),
  /** A model may say more than was wanted. */
  'wider-limit': (): Plants => ({
    provider: (provider) => ({
      ...provider,
      chat({ maxOutputTokens, ...request }, context) {
        const limit = maxOutputTokens !== undefined && { maxOutputTokens: 4 * maxOutputTokens };
        return provider.chat({ ...request, ...limit }, context);
      },
    }),
  }),
  'wide-gate': (): Plants => ({ vendorCapacity: (capacity) => capacity + 1 }),
} as const satisfies Record<string, () => Plants>;
