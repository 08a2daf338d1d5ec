import type { AskContext } from '#core/llm/ask.ts';
import type { ToolContext } from '#core/tools/tool.ts';

/** The context of the exchanges of one call: their attempts are numbered together. */
export function exchangeContext({
  reqId,
  tool,
  caller,
  deadline,
  signal,
}: ToolContext): AskContext {
  let attempts = 0;
  return {
    reqId,
    tool,
    caller,
    deadline,
    signal,
    category: 'fast_response',
    nextAttempt: () => (attempts += 1),
  };
}
