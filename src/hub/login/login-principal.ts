import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Caller } from '#core/calls/call.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { UpstreamState } from '#core/hub/upstream-state.ts';
import { HUB_CALLER } from '../hub-caller.ts';

/** Whose login a caller uses. The owner's is that of all where they share a connection. */
export function loginPrincipal(
  { shared }: Pick<UpstreamConfig, 'shared'>,
  caller: Caller | undefined,
): string {
  return shared || !caller || caller === HUB_CALLER ? OWNER_PRINCIPAL : caller.principal;
}

/** Whether a connection failed for want of a login. */
export function waitsForLogin(state: UpstreamState): boolean {
  return state.is === 'waiting' && LOGIN_REASONS.has(state.because.code);
}

const LOGIN_REASONS: ReadonlySet<string> = new Set(['server_login_needed', 'server_login_failed']);
