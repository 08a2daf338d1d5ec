import type { Caller } from '#core/calls/call.ts';
import type { Clock } from '#core/time/clock.ts';
import { isOwnerPrincipal, type Quota } from '../http/quota.ts';
import { createTimeoutQueue, type QueuedTimeout } from './timeout-queue.ts';
import { SESSION_ENDED } from './refusal.ts';
import type { EventStoreBudget, StreamTimeoutQueues } from './resumable-stream.ts';
import { isSameCaller, type OpenMcp } from './open-mcp.ts';
import { createLegacySession, STOPPED, type LegacySession } from './legacy-session.ts';

export interface LegacySessionsOptions {
  readonly openMcp: OpenMcp;
  readonly isCredentialValid: (caller: Caller) => boolean;
  readonly newSession: () => string;
  readonly clock: Clock;
  readonly timeouts: StreamTimeoutQueues;
  /** Quota of all sessions, including those of the SSE transport. */
  readonly places: Quota;
  readonly sessionIdleMs: number;
  /** Limit for stored events of all sessions, in characters. */
  readonly maxLogChars?: number;
}

/** The open legacy sessions. */
export interface LegacySessions {
  readonly size: number;
  /** Undefined if the limit is reached and no session is idle. */
  open(caller: Caller): LegacySession | undefined;
  /** Acquires a place for a session, which may end an idle one; false if there is no room. */
  acquirePlace(caller: Caller): boolean;
  /** Finds a session of the caller that opened it. */
  find(id: string, caller: Caller): LegacySession | undefined;
  /** Lets running requests finish, then ends all sessions. */
  drain(): Promise<void>;
  end(): void;
}

interface Entry {
  readonly session: LegacySession;
  /** Its entry in the idle queue; undefined while busy. */
  timeout: QueuedTimeout<Entry> | undefined;
}

// A session that loses its events only refuses to resume.
const MAX_LOG_CHARS = 256 * 1024 * 1024;

export function createLegacySessions(options: LegacySessionsOptions): LegacySessions {
  const { clock, timeouts, places } = options;
  const sessions = new Map<string, Entry>();
  const idle = createTimeoutQueue<Entry>(clock, options.sessionIdleMs, ({ session }) =>
    session.end(SESSION_ENDED),
  );
  const budget: EventStoreBudget = {
    chars: 0,
    maxChars: options.maxLogChars ?? MAX_LOG_CHARS,
    onFull() {
      // Idle sessions first. A client that then wants to resume gets an error.
      const entries = [...sessions.values()];
      const isIdle = ({ timeout }: Entry) => timeout !== undefined;
      for (const entry of [...entries.filter(isIdle), ...entries]) {
        if (budget.chars <= budget.maxChars / 2) return;
        entry.session.shed();
      }
    },
  };

  function setIdle(entry: Entry, state: 'idle' | 'busy'): void {
    idle.remove(entry.timeout);
    entry.timeout = state === 'idle' ? idle.add(entry) : undefined;
  }

  /**
   * The session to end for a caller without a place: the oldest idle session of the principal that
   * holds the most.
   */
  function sessionToEvict({ principal }: Caller): LegacySession | undefined {
    const isOwnShare = places.check(principal) === 'share_full';
    // Never from a principal that holds fewer.
    let most = isOwnerPrincipal(principal) ? 0 : places.usedBy(principal) - 1;
    let evicted: LegacySession | undefined;
    for (const { session } of idle.items()) {
      const other = session.caller.principal;
      if (isOwnShare && other !== principal) continue;
      if (places.usedBy(other) <= most) continue;
      most = places.usedBy(other);
      evicted = session;
    }
    return evicted;
  }

  function acquirePlace(caller: Caller): boolean {
    if (places.check(caller.principal) !== 'free') sessionToEvict(caller)?.end(SESSION_ENDED);
    return places.acquire(caller.principal);
  }

  return {
    get size() {
      return sessions.size;
    },
    acquirePlace,
    open(caller) {
      if (!acquirePlace(caller)) return undefined;
      const id = options.newSession();
      const session = createLegacySession({
        id,
        caller,
        timeouts,
        budget,
        openMcp: options.openMcp,
        isCredentialValid: options.isCredentialValid,
        onActivity: (state) => setIdle(entry, state),
        onEnd() {
          setIdle(entry, 'busy');
          sessions.delete(id);
          places.release(caller.principal);
        },
      });
      const entry: Entry = { session, timeout: undefined };
      sessions.set(id, entry);
      return session;
    },
    find(id, caller) {
      const entry = sessions.get(id);
      if (!entry || !isSameCaller(entry.session.caller, caller)) return undefined;
      // Used just now.
      if (entry.timeout) setIdle(entry, 'idle');
      return entry.session;
    },
    async drain() {
      await Promise.all([...sessions.values()].map(({ session }) => session.drain()));
    },
    end() {
      for (const { session } of sessions.values()) session.end(STOPPED);
      idle.clear();
    },
  };
}
