import { OWNER } from '#auth/authenticator.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Authenticator, TcpConnection } from '#core/auth/authenticator.ts';

/**
 * Whether a TCP caller with this token, or without one, is the owner of the daemon. A temporary
 * token acts for the owner, and allows less.
 */
export async function isOwner(
  authenticator: Authenticator,
  token: string | undefined,
  connection: TcpConnection,
): Promise<boolean> {
  try {
    // Most probe requests have no token and need none.
    const during = token === undefined ? 'request' : 'probe';
    const { principal, scopes } = await authenticator.authenticate({
      transport: 'tcp',
      token,
      connection,
      phase: during,
    });
    return principal === OWNER.principal && scopes.includes('*');
  } catch (thrown) {
    if (thrown instanceof CallError) return false;
    throw thrown;
  }
}
