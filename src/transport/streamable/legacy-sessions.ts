import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import { isOwner, type Shares } from '../http/shares.ts';
import { createDelayLine, type Ticket } from './delay-line.ts';
import { OVER } from './endings.ts';
import type { LogBudget } from './event-log.ts';
import type { OpenMcp } from './http-about.ts';
import { createLegacySession, STOPPED, type LegacySession } from './legacy-session.ts';
import { isSameCaller } from './same-caller.ts';
import type { StreamLines } from './stream-lines.ts';

export interface SessionsOptions {
  readonly openMcp: OpenMcp;
  readonly isGood: (caller: Caller) => boolean;
  readonly newSession: () => string;
  readonly clock: Clock;
  readonly lines: StreamLines;
  /** The places of all sessions, these and others. */
  readonly places: Shares;
  readonly sessionIdleMs: number;
  /** What all of them may keep of what they said; in characters. */
  readonly maxLogChars?: number;
}

/** Who is in a session of the old era. */
export interface LegacySessions {
  readonly size: number;
  /** Nothing when there is no room: everybody is busy. */
  open(caller: Caller): LegacySession | undefined;
  /** Takes one of the places for a session, which may cost somebody an idle one: whether there was room. */
  takePlace(caller: Caller): boolean;
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
  const { clock, lines, places } = options;
  const sessions = new Map<string, Entry>();
  const idle = createDelayLine<Entry>(clock, options.sessionIdleMs, ({ session }) =>
    session.end(OVER),
  );
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

  /** Whose place somebody gets that finds none: of what is idle the oldest, of who holds the most. */
  function loserTo({ principal }: Caller): LegacySession | undefined {
    const isOwnShare = places.roomFor(principal) === 'share_full';
    // Nobody takes from who has less.
    let most = isOwner(principal) ? 0 : places.of(principal) - 1;
    let loser: LegacySession | undefined;
    for (const { session } of idle.items()) {
      const other = session.caller.principal;
      if (isOwnShare && other !== principal) continue;
      if (places.of(other) <= most) continue;
      most = places.of(other);
      loser = session;
    }
    return loser;
  }

  function takePlace(caller: Caller): boolean {
    if (places.roomFor(caller.principal) !== 'free') loserTo(caller)?.end(OVER);
    return places.take(caller.principal);
  }

  return {
    get size() {
      return sessions.size;
    },
    takePlace,
    open(caller) {
      if (!takePlace(caller)) return undefined;
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
          places.give(caller.principal);
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
      for (const { session } of sessions.values()) session.end(STOPPED);
      idle.clear();
    },
  };
}
