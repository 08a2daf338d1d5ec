import type { AskRequest, ToolCallPiece } from '#core/llm/ask.ts';

type OfferedTools = Pick<AskRequest, 'tools' | 'toolChoice' | 'toolCallErrors'>;

/** Whether the client can make a call of this tool: it offered the tool, and allows calls. */
export function canClientMake(
  name: string,
  { tools = [], toolChoice, toolCallErrors }: OfferedTools,
): boolean {
  if (toolChoice === 'none') return false;
  return toolCallErrors === 'pass' || tools.some((tool) => tool.name === name);
}

/** Decides for one attempt which pieces of tool calls may be emitted. */
export interface ToolCallFilter {
  lets(piece: ToolCallPiece): boolean;
}

/**
 * Stops at the first call that the client cannot make, because the attempt fails then. A call after
 * one that was emitted passes, as the attempt cannot be repeated.
 */
export function createToolCallFilter(
  request: OfferedTools,
  state: { readonly hasEmittedToolCalls: boolean },
): ToolCallFilter {
  let isStopped = false;
  return {
    lets({ name }) {
      if (name !== undefined && !state.hasEmittedToolCalls && !canClientMake(name, request)) {
        isStopped = true;
      }
      return !isStopped;
    },
  };
}
