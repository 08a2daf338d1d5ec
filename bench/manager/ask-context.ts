import { systemClock } from '#app/system.ts';
import type { AskContext } from '#core/llm/ask.ts';
import { deadlineIn } from '#core/time/deadline.ts';

const DEADLINE_MS = 300_000;

/** The caller's own signal is the caller's expense, so there is one for all. */
export const { signal: SHARED_SIGNAL } = new AbortController();

export function askedBy(): AskContext {
  let attempts = 0;
  return {
    reqId: 'req_00000000000000000000000000',
    tool: 'chat',
    category: 'fast_response',
    caller: { principal: 'local', scopes: ['*'], roots: [] },
    deadline: deadlineIn(systemClock, DEADLINE_MS),
    signal: SHARED_SIGNAL,
    nextAttempt: () => (attempts += 1),
  };
}
