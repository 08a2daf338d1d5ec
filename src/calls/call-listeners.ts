import type { CallRecord, CallStore } from '#core/stores/calls.ts';

export type CallListener = (call: CallRecord) => void;

/** A store of calls that tells listeners of each call that ended. */
export function createCallListeners(store: CallStore): {
  readonly store: CallStore;
  /** Returns the unsubscribe function. */
  readonly onEnded: (listener: CallListener) => () => void;
} {
  const listeners = new Set<CallListener>();
  const notify = (call: CallRecord) => {
    for (const listener of listeners) listener(call);
  };
  return {
    store: {
      record(call, attempts, usage) {
        notify(call);
        return store.record(call, attempts, usage);
      },
      recordLazily(call) {
        notify(call);
        return store.recordLazily(call);
      },
      recordUsage: (attempts, usage) => store.recordUsage(attempts, usage),
      list: (filter) => store.list(filter),
      attempts: (reqId) => store.attempts(reqId),
      costs: (calls) => store.costs(calls),
    },
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
