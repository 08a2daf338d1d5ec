import { LOCAL } from '#calls/doorman.ts';
import { CallError } from '#core/call-error.ts';
import type { Doorman, TcpConnection } from '#core/doorman.ts';

/** Whether who comes over TCP with this token, or none, is the owner of the daemon. */
export async function isOwner(
  doorman: Doorman,
  token: string | undefined,
  connection: TcpConnection,
): Promise<boolean> {
  try {
    // Most who ask for a probe have no token and need none.
    const during = token === undefined ? 'request' : 'probe';
    const { principal } = await doorman.identify({ door: 'tcp', token, connection, during });
    return principal === LOCAL.principal;
  } catch (thrown) {
    if (thrown instanceof CallError) return false;
    throw thrown;
  }
}
