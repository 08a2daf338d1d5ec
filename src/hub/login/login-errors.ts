import {
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';

/** Codes of OAuth; anything else in their place may be any text. */
const OAUTH_CODE = /^[a-z_]{1,40}$/;

/** A login that failed as the refresh of its token was refused for good. */
const OVER: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_token',
]);

const FOR_NOW: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

const over = new WeakSet<CallError>();

/** Whether this login is over, so that trying again does not help. */
export function isLoginOver(error: CallError): boolean {
  return over.has(error);
}

/** The stored login is for another authorization server than the one that the server names now. */
export function movedLogin(server: string): CallError {
  const error = refusedLogin(server, 'the server now names another authorization server', {
    fix: `If its operator announced that, forget the old login with: exai servers logout ${server}`,
  });
  over.add(error);
  return error;
}

export function refusedLogin(
  server: string,
  problem: string,
  facts: Omit<ErrorFacts, 'reason'> = {},
): CallError {
  return codedError('auth', reason('server_login_failed', { server, problem }), facts);
}

/**
 * An error of the SDK in our words. Its own messages quote what the authorization server sent, which
 * may be anything.
 */
export function loginProblem(server: string, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  if (thrown instanceof IssuerMismatchError) {
    return refusedLogin(
      server,
      thrown.kind === 'metadata'
        ? 'the metadata of the authorization server name another issuer'
        : 'the answer came from another authorization server than the one that was asked',
    );
  }
  if (thrown instanceof RegistrationRejectedError) {
    return refusedLogin(
      server,
      `the authorization server does not register EX-AI as a client (HTTP status ${thrown.status})`,
      { fix: `Register it there, then: exai config set mcpServers.${server}.clientId ID` },
    );
  }
  if (thrown instanceof OAuthError) {
    const code = OAUTH_CODE.test(thrown.code) ? thrown.code : 'an error';
    const problem = `the authorization server answers ${code}`;
    const error = codedError(
      FOR_NOW.has(code) ? 'network' : 'auth',
      reason('server_login_failed', { server, problem }),
    );
    if (OVER.has(code)) over.add(error);
    return error;
  }
  const problem = isUnreadable(thrown)
    ? 'what the authorization server answers cannot be read'
    : 'the authorization server does not answer as OAuth requires';
  // Without its cause, whose message quotes the answer.
  return codedError('bad_response', reason('server_login_failed', { server, problem }));
}

/** JSON that is none, or does not have the fields that it must have. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof SyntaxError || (thrown instanceof Error && 'issues' in thrown);
}

/** Whether there are no metadata at the usual addresses. The SDK throws a plain error for that alone. */
export function isMissing(thrown: unknown): boolean {
  return (
    !(thrown instanceof CallError) &&
    thrown instanceof Error &&
    thrown.name === 'Error' &&
    !isUnreadable(thrown)
  );
}
