import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { Clock } from '#core/time/clock.ts';
import { LOGS_URI } from './logs.ts';
import { THREADS_URI, threadUri } from './thread-resources.ts';
import { USAGE_URI } from './usage.ts';

/** Notifies one principal that a resource has changed. */
type NotifyUpdated = (uri: string, principal: string) => void;

/** `soon`: after a moment, when the change can be read. */
type ThrottledNotifier = (uri: string, principal: string, when: 'now' | 'soon') => void;

const THROTTLE_MS = 1_000;
/** Limit of throttled URIs; beyond it every change is sent at once. */
const MAX_THROTTLED = 10_000;

/** Sends at most one notification per URI and second, and always one after the last change. */
export function createThrottledNotifier(
  notify: NotifyUpdated,
  clock: Pick<Clock, 'after'>,
): ThrottledNotifier {
  const throttled = new Map<string, { hasChanged: boolean }>();

  function throttle(key: string, hasChanged: boolean, send: () => void): void {
    const state = { hasChanged };
    throttled.set(key, state);
    clock.after(THROTTLE_MS, () => {
      throttled.delete(key);
      if (!state.hasChanged) return;
      send();
      throttle(key, false, send);
    });
  }

  return (uri, principal, when) => {
    const key = `${principal}\n${uri}`;
    const state = throttled.get(key);
    if (state) {
      state.hasChanged = true;
      return;
    }
    const send = () => notify(uri, principal);
    if (when === 'now' || throttled.size >= MAX_THROTTLED) send();
    if (throttled.size < MAX_THROTTLED) throttle(key, when === 'soon', send);
  };
}

/** Turns events into MCP `resources/updated` notifications. */
interface ResourceUpdates {
  readonly threadChanged: (principal: string, id: string) => void;
  /** A request to a model ended; even a failed one may have cost something. */
  readonly usageChanged: (principal: string) => void;
  readonly logWritten: () => void;
}

export function createResourceUpdates(
  notify: NotifyUpdated,
  clock: Pick<Clock, 'after'>,
): ResourceUpdates {
  const send = createThrottledNotifier(notify, clock);
  return {
    threadChanged(principal, id) {
      send(threadUri(id), principal, 'now');
      send(THREADS_URI, principal, 'now');
    },
    usageChanged(principal) {
      send(USAGE_URI, principal, 'now');
      if (principal !== OWNER_PRINCIPAL) send(USAGE_URI, OWNER_PRINCIPAL, 'now');
    },
    // Log lines are buffered before they are on disk.
    logWritten: () => send(LOGS_URI, OWNER_PRINCIPAL, 'soon'),
  };
}

/** Decorates a manager to report who used it, after the usage is stored. */
export function notifyingManager(manager: Manager, used: ResourceUpdates['usageChanged']): Manager {
  return {
    ...manager,
    async ask(request, by, listener) {
      try {
        return await manager.ask(request, by, listener);
      } finally {
        used(by.caller.principal);
      }
    },
    classify: (request, by, listener) =>
      manager.classify(request, by, listener).finally(() => used(by.caller.principal)),
  };
}

export function notifyingEmbedder(
  embedder: Embedder,
  used: ResourceUpdates['usageChanged'],
): Embedder {
  return {
    embed: (request, by) => embedder.embed(request, by).finally(() => used(by.caller.principal)),
  };
}
