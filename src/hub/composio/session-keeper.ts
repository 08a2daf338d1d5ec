import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { ComposioApi, ComposioSession } from './composio-api.ts';

export interface SessionKeeper {
  /** The session, made with the first use and again after `forget`. */
  current(signal: AbortSignalLike): Promise<ComposioSession>;
  /** The vendor no longer knows this session. */
  forget(session: ComposioSession): void;
}

interface KeeperOptions {
  readonly api: ComposioApi;
  readonly userId: string;
  readonly toolkits: readonly string[];
}

/** Answers up to so many characters are to come inline. */
export const INLINE_CHARS = 5_000_000;

export function createSessionKeeper({ api, userId, toolkits }: KeeperOptions): SessionKeeper {
  let session: ComposioSession | undefined;
  let making: Promise<ComposioSession> | undefined;

  async function make(signal: AbortSignalLike): Promise<ComposioSession> {
    const about = { userId, toolkits };
    session = await api
      .createSession({ ...about, offloadAbove: INLINE_CHARS }, signal)
      .catch((thrown: unknown) => {
        // The vendor may have a limit for the threshold; what it offloads is fetched.
        if (CallError.from(thrown).class !== 'tool_error') throw thrown;
        return api.createSession(about, signal);
      });
    return session;
  }

  return {
    current(signal) {
      if (session) return Promise.resolve(session);
      making ??= make(signal).finally(() => (making = undefined));
      return making;
    },
    forget(gone) {
      if (session?.id === gone.id) session = undefined;
    },
  };
}
