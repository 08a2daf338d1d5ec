import { hash } from 'node:crypto';
import type { PageLogins } from '#core/auth/page-login.ts';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Random } from '#core/random.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { createGuessLimit } from './guess-limit.ts';

export interface PageSessionsOptions {
  readonly clock: Clock;
  readonly random: Random;
}

export interface IssuedCode {
  readonly code: string;
  readonly expiresInMs: number;
}

/** One-time codes and the browser sessions that they open. Everything is in memory. */
export interface PageSessions extends PageLogins {
  /** `onGone` is called one time, when the code is used, expired or dropped. */
  issueCode(onGone: () => void): IssuedCode;
  /** Ends all sessions and codes; returns the number of sessions. */
  endAll(): number;
}

export const CODE_LIFETIME_MS = 60_000;
const MAX_CODES = 8;
const MAX_SESSIONS = 16;
const IDLE_MS = 2 * 3_600_000;
const MAX_AGE_MS = 12 * 3_600_000;

/** Crockford's base 32: I, L, O and U are left out, as people confuse them with others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_CHARS = 16;
const SESSION_BYTES = 32;

interface PageSession {
  readonly openedAt: number;
  usedAt: number;
}

interface PendingCode {
  readonly timer: Timer;
  readonly onGone: () => void;
}

export function createPageSessions({ clock, random }: PageSessionsOptions): PageSessions {
  const guesses = createGuessLimit(clock);
  const dropCode = ({ timer, onGone }: PendingCode) => {
    timer.stop();
    onGone();
  };
  const codes = createBoundedMap<string, PendingCode>({
    maxEntries: MAX_CODES,
    onEvict: dropCode,
  });
  const sessions = createBoundedMap<string, PageSession>({ maxEntries: MAX_SESSIONS });

  /** Takes a pending code away, so that it works one time. */
  function take(codeSha256: string): boolean {
    const pending = codes.get(codeSha256);
    if (!pending) return false;
    codes.delete(codeSha256);
    dropCode(pending);
    return true;
  }

  return {
    issueCode(onGone) {
      const code = newCode(random);
      const codeSha256 = digest(plainCode(code));
      const timer = clock.after(CODE_LIFETIME_MS, () => take(codeSha256));
      codes.set(codeSha256, { timer, onGone });
      return { code, expiresInMs: CODE_LIFETIME_MS };
    },

    redeem(code, peer) {
      const codeSha256 = digest(plainCode(code));
      // A code has 80 random bits, so a valid one is not a lucky guess. It is accepted even where
      // others of the same address have guessed, which would otherwise keep the owner out.
      if (take(codeSha256)) {
        const token = Buffer.from(random(SESSION_BYTES)).toString('base64url');
        const now = clock.monotonic();
        sessions.set(digest(token), { openedAt: now, usedAt: now });
        return { is: 'session', token };
      }
      const retryAfterMs = guesses.waitMs(peer);
      if (retryAfterMs > 0) return { is: 'limited', retryAfterMs };
      guesses.refused(peer, codeSha256);
      return { is: 'refused' };
    },

    isValid(token) {
      const key = digest(token);
      const session = sessions.get(key);
      if (!session) return false;
      const now = clock.monotonic();
      if (now - session.usedAt >= IDLE_MS || now - session.openedAt >= MAX_AGE_MS) {
        sessions.delete(key);
        return false;
      }
      session.usedAt = now;
      return true;
    },

    end: (token) => void sessions.delete(digest(token)),

    endAll() {
      const ended = sessions.size;
      sessions.clear();
      for (const pending of codes.values()) dropCode(pending);
      codes.clear();
      return ended;
    },
  };
}

/** `ABCD-EFGH-JKMN-PQRS` */
function newCode(random: Random): string {
  const chars = Array.from(random(CODE_CHARS), (byte) => ALPHABET[byte % ALPHABET.length]);
  const groups = chars.join('').match(/.{4}/g) ?? [];
  return groups.join('-');
}

/** A code as it is compared: in capitals, without hyphens, and with confused letters replaced. */
function plainCode(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/** Only digests are stored and compared: the time of a lookup tells nothing about a secret. */
function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}
