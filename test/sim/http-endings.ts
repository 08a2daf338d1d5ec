import {
  daemonStopped,
  SESSION_DELETED,
  SESSION_ENDED,
  TOKEN_REVOKED,
} from '#transport/streamable/refusal.ts';
import type { ClientOptions } from './client.ts';
import { isKnown } from './http-options.ts';
import { idleBefore, isBusyBefore, type HttpSession } from './http-session.ts';
import type { HttpWire } from './http-wire.ts';

const SLACK_MS = 150;

const LAST_WORDS = [SESSION_DELETED, SESSION_ENDED, TOKEN_REVOKED, daemonStopped('')].map(
  ({ message }) => JSON.stringify(message).slice(1, -1),
);

/**
 * Whether somebody has ended a session under way: its client, its daemon's end, or the end of its
 * token.
 */
export function mayBeEnded(options: ClientOptions, session: HttpSession): boolean {
  const { http } = options;
  const isOld = session.life !== http.life || http.isStopping;
  return session.state !== 'open' || isOld || !isKnown(options);
}

/**
 * Whether there may be no such session any more when a connection comes: it was ended, or nobody
 * used it.
 */
export function mayBeGone(
  options: ClientOptions,
  session: HttpSession,
  came: HttpWire | undefined,
): boolean {
  const { simulation, daemonFreeze, http } = options;
  if (mayBeEnded(options, session)) return true;
  // What came to a daemon that is held is with no session yet, and may be gone when it goes on.
  if (simulation.now - daemonFreeze.lastFrozenAt < http.sessionIdleMs + SLACK_MS) return true;
  return http.room === 'tight'
    ? !isBusyBefore(session, came)
    : idleBefore(session, came) >= http.sessionIdleMs - SLACK_MS;
}

/** What a session says itself when it ends before an answer. */
export function isLastWord(text: string): boolean {
  return text.includes('"error":') && LAST_WORDS.some((message) => text.includes(message));
}
