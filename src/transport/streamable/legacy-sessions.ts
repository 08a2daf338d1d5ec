import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import { createDelayLine, type Ticket } from './delay-line.ts';
import type { LogBudget } from './event-log.ts';
import type { OpenMcp } from './http-about.ts';
import { createLegacySession, type LegacySession } from './legacy-session.ts';
import { isSameCaller } from './same-caller.ts';
import type { StreamLines } from './stream-lines.ts';

export interface SessionsOptions {
  readonly openMcp: OpenMcp;
  readonly isGood: (caller: Caller) => boolean;
  readonly newSession: () => string;
  readonly clock: Clock;
  readonly lines: StreamLines;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  /** What all of them may keep of what they said; in characters. */
  readonly maxLogChars?: number;
}

/** Who is in a session of the old era. */
export interface LegacySessions {
  readonly size: number;
  /** Nothing when there is no room: everybody is busy. */
  open(caller: Caller): LegacySession | undefined;
  /** Only for the caller that opened it. */
  find(id: string, caller: Caller): LegacySession | undefined;
  /** Lets what runs finish, then ends them all. */
  drain(): Promise<void>;
  end(): void;
}

const MAX_LOG_CHARS = 256 * 1024 * 1024;

export function createLegacySessions(options: SessionsOptions): LegacySessions {
  const { clock, lines, maxSessions } = options;
  const sessions = new Map<string, LegacySession>();
  const tickets = new Map<LegacySession, Ticket<LegacySession>>();
  const idle = createDelayLine<LegacySession>(clock, options.sessionIdleMs, (session) => {
    session.end();
  });
  const budget: LogBudget = {
    chars: 0,
    maxChars: options.maxLogChars ?? MAX_LOG_CHARS,
    onFull() {
      // Those that nobody uses first; a session that is asked to come back later says so.
      for (const session of [...tickets.keys(), ...sessions.values()]) {
        if (budget.chars <= budget.maxChars / 2) return;
        session.shed();
      }
    },
  };

  function setIdle(session: LegacySession, state: 'idle' | 'busy'): void {
    idle.remove(tickets.get(session));
    if (state === 'idle') tickets.set(session, idle.add(session));
    else tickets.delete(session);
  }

  return {
    get size() {
      return sessions.size;
    },
    open(caller) {
      if (sessions.size >= maxSessions) idle.first()?.end();
      if (sessions.size >= maxSessions) return undefined;
      const id = options.newSession();
      const session: LegacySession = createLegacySession({
        id,
        caller,
        lines,
        budget,
        openMcp: options.openMcp,
        isGood: options.isGood,
        onRest: (state) => setIdle(session, state),
        onEnd() {
          setIdle(session, 'busy');
          sessions.delete(id);
        },
      });
      sessions.set(id, session);
      return session;
    },
    find(id, caller) {
      const session = sessions.get(id);
      if (!session || !isSameCaller(session.caller, caller)) return undefined;
      // It was used just now.
      if (tickets.has(session)) setIdle(session, 'idle');
      return session;
    },
    async drain() {
      await Promise.all([...sessions.values()].map((session) => session.drain()));
    },
    end() {
      for (const session of sessions.values()) session.end();
      idle.clear();
    },
  };
}
