import type { Caller } from '#core/call.ts';

/** Whether two requests come from the same one: a session belongs to who opened it, with what opened the door. */
export function isSameCaller(one: Caller, other: Caller): boolean {
  return (
    one.principal === other.principal &&
    one.credential === other.credential &&
    one.agent === other.agent
  );
}
