import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';

const OUTLIVED = new CallError(
  'auth',
  'The token that this connection came in with is no longer good.',
  { field: 'token', fix: 'Connect again with a good one.' },
);

/** Why this caller may do nothing at all any more; nothing where it may. */
export function tokenRefusal(calls: Calls, caller: Caller): CallError | undefined {
  // Every list has a version, an empty one, too; whose token has ended is given none.
  return calls.list(caller).version === '' ? OUTLIVED : undefined;
}

/**
 * Why this caller may not see, answer or cancel the tasks of this tool; nothing where it may. It is the tool that counts: who
 * may use it follows what came of that, without a right to the tools of jobs.
 */
export function taskRefusal(calls: Calls, caller: Caller, tool: string): CallError | undefined {
  const outlived = tokenRefusal(calls, caller);
  if (outlived) return outlived;
  const { verdict, reasons } = calls.decide(caller, tool);
  if (verdict !== 'deny') return undefined;
  const client = caller.credential === undefined ? {} : { client: caller.principal };
  return codedError('permission', reason('tool_forbidden', { tool, reasons }), {
    field: 'taskId',
    fixes: [fix('explain_access', { tool, ...client })],
  });
}
