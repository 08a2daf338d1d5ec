import type { AbortSignalLike } from '#core/net/abort.ts';
import type { ComposioAccount } from './connect-composio.ts';
import { findMissingAccounts } from './missing-accounts.ts';

/** The account of a user for an app. */
export interface AppAccount {
  readonly toolkit: string;
  readonly status: string;
  readonly redirectUrl?: string;
}

/** The accounts for these apps, with links for those that lack one. */
export async function linkAccounts(
  { api, keeper }: ComposioAccount,
  toolkits: readonly string[],
  action: 'list' | 'connect',
  signal: AbortSignalLike,
): Promise<readonly AppAccount[]> {
  const session = await keeper.current(signal);
  const wanted = toolkits.map((toolkit) => toolkit.toLowerCase());
  const known = await api.toolkits(session.id, wanted, signal);
  const missing =
    action === 'connect' ? await findMissingAccounts(api, session.id, wanted, signal) : [];
  return wanted.map((toolkit) => {
    const found = known.find(({ slug }) => slug === toolkit);
    if (!found) return { toolkit, status: 'unknown' };
    const link = missing.find((each) => each.toolkit === toolkit);
    if (link) return { toolkit, status: 'initiated', redirectUrl: link.url };
    const { noAuth, accountStatus = 'not_connected' } = found;
    return { toolkit, status: noAuth ? 'needs_no_account' : accountStatus.toLowerCase() };
  });
}
