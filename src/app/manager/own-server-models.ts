import { CallError } from '#core/errors/call-error.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ModelDirectory } from '#models/model-directory.ts';

interface OwnServerOptions {
  readonly modelDirectory: ModelDirectory;
  /** `CUSTOM_MODEL`; empty if the server's list decides. */
  readonly chosen: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The model list of the user's own server, which has no built-in names. */
export interface OwnServerModels {
  /**
   * Reads the list. Waits for it only if none is stored for this address. Never fails: the server
   * may be started later.
   */
  open(): Promise<void>;
  /** Reads the list again if a request needs a name that it may have now; mostly nothing to do. */
  prepareFor(request: NamedModels): Promise<void> | undefined;
  close(): Promise<void>;
}

type NamedModels = Pick<AskRequest, 'model' | 'lockedModel'>;

const PROVIDER = 'custom';
const LIST_WITHIN_MS = 3_000;
/** A server that was just asked is not asked again. */
const PAUSE_MS = 5_000;

export function createOwnServerModels(options: OwnServerOptions): OwnServerModels {
  const { modelDirectory, chosen, clock, log } = options;
  const isConfigured = modelDirectory
    .providers()
    .some(({ id, configured }) => id === PROVIDER && configured);
  const stop = new AbortController();
  let pending: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    try {
      const outcomes = await modelDirectory.refresh(
        { signal: stop.signal, deadline: deadlineIn(clock, LIST_WITHIN_MS) },
        PROVIDER,
      );
      const failed = outcomes.find(({ is }) => is === 'failed');
      if (failed) log.info('own_models_not_listed', { because: failed.because });
    } catch (thrown) {
      if (!stop.signal.aborted)
        log.warn('own_models_not_listed', { error: CallError.from(thrown).toJSON() });
    }
  }

  function start(): Promise<void> {
    pending ??= read().finally(() => {
      readAtMs = clock.monotonic();
      pending = undefined;
    });
    return pending;
  }

  function hasList(): boolean {
    return modelDirectory.models().some(({ model }) => isListed(model, chosen));
  }

  function isMissing({ model, lockedModel }: NamedModels): boolean {
    if (chosen === '' && !hasList()) return true;
    return [model, lockedModel].some(
      (name) => name !== undefined && isName(name) && modelDirectory.resolve(name).is !== 'found',
    );
  }

  return {
    async open() {
      if (!isConfigured) return;
      const read = start();
      if (!hasList()) await read;
    },
    prepareFor(request) {
      if (!isConfigured || stop.signal.aborted || !isMissing(request)) return undefined;
      if (pending) return pending;
      return clock.monotonic() - readAtMs >= PAUSE_MS ? start() : undefined;
    },
    async close() {
      stop.abort(new CallError('cancelled', 'The daemon closes this provider.'));
      await pending;
    },
  };
}

/** Whether a model is of the server's list, not of the settings alone. */
function isListed(
  { id, provider }: { readonly id: string; readonly provider: string },
  chosen: string,
): boolean {
  return provider === PROVIDER && id !== chosen;
}

/** Whether it is the name of a model, instead of leaving the choice to the rules. */
function isName(model: string): boolean {
  return !['', 'auto', 'default'].includes(model.trim().toLowerCase());
}
