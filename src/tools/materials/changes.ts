import type { Clock } from '#core/clock.ts';
import type { Embedder } from '#core/embed.ts';
import type { Manager } from '#core/ask.ts';
import { LOGS_URI } from './logs.ts';
import { createTeller, type Touch } from './teller.ts';
import { THREADS_URI, threadUri } from './thread-list.ts';
import { USAGE_URI } from './usage.ts';

/** Where what happens becomes news of an address. */
export interface Changes {
  readonly threadChanged: (principal: string, id: string) => void;
  /** What was asked by it, well or not, may have cost something. */
  readonly used: (principal: string) => void;
  readonly logWritten: () => void;
}

/** Whoever owns the machine, who sees what everybody used. */
const OWNER = 'local';

export function createChanges(touch: Touch, clock: Pick<Clock, 'after'>): Changes {
  const tell = createTeller(touch, clock);
  return {
    threadChanged(principal, id) {
      tell(threadUri(id), principal, 'now');
      tell(THREADS_URI, principal, 'now');
    },
    used(principal) {
      tell(USAGE_URI, principal, 'now');
      if (principal !== OWNER) tell(USAGE_URI, OWNER, 'now');
    },
    // A line waits a moment for others before it is on disk.
    logWritten: () => tell(LOGS_URI, OWNER, 'soon'),
  };
}

/** The same manager, which says by whom it was used: by then what it took is stored. */
export function tellingManager(manager: Manager, used: Changes['used']): Manager {
  return {
    ...manager,
    ask: (request, by, listener) =>
      manager.ask(request, by, listener).finally(() => used(by.caller.principal)),
    classify: (request, by, listener) =>
      manager.classify(request, by, listener).finally(() => used(by.caller.principal)),
  };
}

export function tellingEmbedder(embedder: Embedder, used: Changes['used']): Embedder {
  return {
    embed: (request, by) => embedder.embed(request, by).finally(() => used(by.caller.principal)),
  };
}
