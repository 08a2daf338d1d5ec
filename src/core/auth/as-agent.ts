import type { Caller } from '../calls/call.ts';

/**
 * The caller as an agent of the daemon that works for it. Only the code that runs the agent makes
 * one: no transport, token, header or message does.
 */
export function asAgent(caller: Caller, agent: string): Caller {
  return { ...caller, agent };
}
