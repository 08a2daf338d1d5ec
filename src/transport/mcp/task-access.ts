import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';

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
  const { verdict, because } = calls.decide(caller, tool);
  if (verdict !== 'deny') return undefined;
  const client = caller.credential === undefined ? '' : ` --client ${caller.principal}`;
  return new CallError('permission', `${tool} may not be used. ${because.join(' ')}`, {
    field: 'taskId',
    fix: `Its user can see why with: exai access explain ${tool}${client}`,
  });
}
