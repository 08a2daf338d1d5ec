import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';

const TOKEN_EXPIRED = new CallError(
  'auth',
  'The token that this connection came in with is no longer good.',
  { field: 'token', fix: 'Connect again with a good one.' },
);

/** The error if the caller's token has expired; undefined if it is valid. */
export function tokenRefusal(calls: Calls, caller: Caller): CallError | undefined {
  // Every list has a version, even an empty one; a caller with an expired token gets none.
  return calls.list(caller).version === '' ? TOKEN_EXPIRED : undefined;
}

/**
 * The error if the caller may not see, answer or cancel the tasks of this tool; undefined if it
 * may. Permission for the tool itself decides; permission for the job tools is not needed.
 */
export function taskRefusal(calls: Calls, caller: Caller, tool: string): CallError | undefined {
  const expired = tokenRefusal(calls, caller);
  if (expired) return expired;
  const { verdict, reasons } = calls.decide(caller, tool);
  if (verdict !== 'deny') return undefined;
  const client = caller.credential === undefined ? {} : { client: caller.principal };
  return codedError('permission', reason('tool_forbidden', { tool, reasons }), {
    field: 'taskId',
    fixes: [fix('explain_access', { tool, ...client })],
  });
}
