import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface StopRequests {
  /** Resolves with the name of the first signal that asks for an end. */
  readonly first: Promise<string>;
  stopListening(): void;
}

/** The first signal asks for an orderly stop; a second one ends the process at once. */
export function listenForStop(): StopRequests {
  let asked = false;
  let resolveFirst: (signal: string) => void;
  const first = new Promise<string>((resolve) => (resolveFirst = resolve));
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) process.exit(128 + constants.signals[signal]);
    asked = true;
    resolveFirst(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    first,
    stopListening() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
