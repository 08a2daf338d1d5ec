import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { AnswerServer } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { ClientCapability } from '#core/tools/input-request.ts';
import type { Logins } from './create-logins.ts';
import { loginPrincipal } from './login-principal.ts';

interface CallLoginsOptions {
  readonly logins: Pick<Logins, 'begin' | 'wait'>;
  readonly configOf: (server: string) => UpstreamConfig | undefined;
}

interface CallerOfLogin {
  readonly caller: Caller;
  readonly clientCapabilities: readonly ClientCapability[];
}

/** Logins that the user of a call makes while the call waits. */
export interface CallLogins {
  /** Whether a call that failed like this can continue after a login of its user. */
  helps(thrown: unknown, server: string, about: CallerOfLogin): boolean;
  /**
   * Asks the user to log in, and waits for it. Rejects if the user does not, or the login fails.
   */
  logIn(server: string, caller: Caller, ask: AnswerServer, signal: AbortSignalLike): Promise<void>;
}

/** How long a user may take after opening the page. */
const LOGIN_MS = 5 * 60_000;
const ROUND_MS = 15_000;

export function createCallLogins({ logins, configOf }: CallLoginsOptions): CallLogins {
  return {
    helps(thrown, server, { caller, clientCapabilities }) {
      const config = configOf(server);
      if (CallError.from(thrown).reason?.code !== 'server_login_needed' || !config) return false;
      return clientCapabilities.includes('visit') && isOwnLogin(config, caller);
    },
    async logIn(server, caller, ask, signal) {
      const config = configOf(server);
      if (!config) throw refused(server);
      const login = await logins.begin(server, config, loginPrincipal(config, caller));
      const params: JsonObject = {
        mode: 'url',
        url: login.url,
        elicitationId: login.id,
        message: `Log in at ${new URL(login.url).host}, so that EX-AI can use ${server} for you.`,
      };
      const answer = await ask({ method: 'elicitation/create', params }, signal);
      if (answer['action'] !== 'accept') throw refused(server);
      for (let waitedMs = 0; waitedMs < LOGIN_MS; waitedMs += ROUND_MS) {
        signal.throwIfAborted();
        const progress = await logins.wait(login.id, ROUND_MS);
        if (progress.is === 'done') return;
        if (progress.is === 'failed') {
          const { message, fix } = progress;
          throw new CallError(progress.class, message, { ...(fix !== undefined && { fix }) });
        }
      }
      throw new CallError('timeout', `The login to the MCP server ${server} was not finished.`, {
        fix: `Log in with: exai servers login ${server}`,
      });
    },
  };
}

/** The login of all callers is the owner's to make; agents make none. */
function isOwnLogin(config: UpstreamConfig, { principal, agent, isAnonymous }: Caller): boolean {
  if (agent !== undefined || isAnonymous === true) return false;
  return !config.shared || principal === OWNER_PRINCIPAL;
}

function refused(server: string): CallError {
  return new CallError('auth', `The login to the MCP server ${server} was declined.`, {
    fix: `Log in with: exai servers login ${server}`,
  });
}
