import type { JsonObject } from '#core/json/json.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { AnswerServer } from '#core/hub/upstream.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ComposioApi, ComposioLink } from './composio-api.ts';

/** An account that a tool needs and the user has not connected. */
export interface MissingAccount extends ComposioLink {
  readonly toolkit: string;
}

const ACTIVE = 'ACTIVE';
const POLL_MS = 2_000;
/** How long a user may take to log in after opening the link. */
const CONNECTING_MS = 120_000;

/** Which of these toolkits have no active account, each with a new link to connect one. */
export async function findMissingAccounts(
  api: ComposioApi,
  session: string,
  toolkits: readonly string[],
  signal: AbortSignalLike,
): Promise<readonly MissingAccount[]> {
  if (toolkits.length === 0) return [];
  const known = await api.toolkits(session, toolkits, signal);
  const missing = known.filter(
    ({ slug, noAuth, accountStatus }) =>
      toolkits.includes(slug) && !noAuth && accountStatus !== ACTIVE,
  );
  return Promise.all(
    missing.map(async ({ slug: toolkit }) => ({
      toolkit,
      ...(await api.link(session, toolkit, signal)),
    })),
  );
}

export function linkNote({ toolkit, url }: Pick<MissingAccount, 'toolkit' | 'url'>): string {
  return `The account for ${toolkit} is not connected. The user must open ${url} and log in; then call the tool again.`;
}

/**
 * Asks the user to open the link, where the client can, and waits until the account is connected.
 * False: it is not, or the client cannot be asked.
 */
export async function connectAccount(
  { toolkit, url, accountId }: MissingAccount,
  api: ComposioApi,
  clock: Clock,
  ask: AnswerServer | undefined,
  signal: AbortSignalLike,
): Promise<boolean> {
  if (!ask) return false;
  const params: JsonObject = {
    mode: 'url',
    url,
    elicitationId: accountId,
    message: `Connect your account for ${toolkit}, so that its tools can be used.`,
  };
  const answer = await ask({ method: 'elicitation/create', params }, signal).catch(() => undefined);
  if (answer?.['action'] !== 'accept') return false;
  const endsAt = clock.monotonic() + CONNECTING_MS;
  while (!signal.aborted) {
    // A question that fails is asked again.
    const status = await api.accountStatus(accountId, signal).catch(() => '');
    if (status === ACTIVE) return true;
    if (clock.monotonic() >= endsAt) return false;
    await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
  }
  return false;
}
