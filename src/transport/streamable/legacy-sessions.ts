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

interface Entry {
  readonly session: LegacySession;
  /** Its place among the idle. */
  ticket: Ticket<Entry> | undefined;
}

// Beside what a daemon needs anyway; a session that loses its log only refuses to resume.
const MAX_LOG_CHARS = 256 * 1024 * 1024;

export function createLegacySessions(options: SessionsOptions): LegacySessions {
  const { clock, lines, maxSessions } = options;
  const sessions = new Map<string, Entry>();
  const idle = createDelayLine<Entry>(clock, options.sessionIdleMs, ({ session }) => session.end());
  const budget: LogBudget = {
    chars: 0,
    maxChars: options.maxLogChars ?? MAX_LOG_CHARS,
    onFull() {
      // Those that nobody uses first. Who then wants to resume is told that it cannot.
      const entries = [...sessions.values()];
      const isIdle = ({ ticket }: Entry) => ticket !== undefined;
      for (const entry of [...entries.filter(isIdle), ...entries]) {
        if (budget.chars <= budget.maxChars / 2) return;
        entry.session.shed();
      }
    },
  };

  function setIdle(entry: Entry, state: 'idle' | 'busy'): void {
    idle.remove(entry.ticket);
    entry.ticket = state === 'idle' ? idle.add(entry) : undefined;
  }

  return {
    get size() {
      return sessions.size;
    },
    open(caller) {
      if (sessions.size >= maxSessions) idle.first()?.session.end();
      if (sessions.size >= maxSessions) return undefined;
      const id = options.newSession();
      const session = createLegacySession({
        id,
        caller,
        lines,
        budget,
        openMcp: options.openMcp,
        isGood: options.isGood,
        onRest: (state) => setIdle(entry, state),
        onEnd() {
          setIdle(entry, 'busy');
          sessions.delete(id);
        },
      });
      const entry: Entry = { session, ticket: undefined };
      sessions.set(id, entry);
      return session;
    },
    find(id, caller) {
      const entry = sessions.get(id);
      if (!entry || !isSameCaller(entry.session.caller, caller)) return undefined;
      // It was used just now.
      if (entry.ticket) setIdle(entry, 'idle');
      return entry.session;
    },
    async drain() {
      await Promise.all([...sessions.values()].map(({ session }) => session.drain()));
    },
    end() {
      for (const { session } of sessions.values()) session.end();
      idle.clear();
    },
  };
}
