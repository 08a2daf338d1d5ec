import { CallError } from '#core/call-error.ts';
import { errorReply, type RequestId } from '#mcp/json-rpc.ts';

const PERHAPS_DONE = 'What it began may have been done.';

/** The last word to a request whose session, or daemon, ends before it is answered: nobody is left to wonder. */
export function lastWord(id: RequestId, { class: errorClass, message, fix, policy }: CallError) {
  const words = fix === undefined ? message : `${message} ${fix}`;
  return errorReply(id, policy.rpcCode, words, { error_class: errorClass });
}

/** `next`: what to do when the daemon is back. */
export function stopped(next: string): CallError {
  return new CallError('interrupted', 'The daemon stopped before this was answered.', {
    fix: `${PERHAPS_DONE} When the daemon is back, ${next}.`,
  });
}

export const DELETED = new CallError('interrupted', 'DELETE ended the session before its answer.', {
  fix: PERHAPS_DONE,
});

export const OVER = new CallError('interrupted', 'The session ended before this was answered.', {
  fix: `${PERHAPS_DONE} Send initialize, then the request again.`,
});

export const REVOKED = new CallError('auth', 'The token was taken away before this was answered.');
