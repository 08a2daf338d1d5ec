/** What a scope, or a row of an agent, says about the tools that it matches. */
export const ACCESS_EFFECTS = ['allow', 'read', 'free', 'ask', 'deny'] as const;
export type AccessEffect = (typeof ACCESS_EFFECTS)[number];

/** What a tool does: reads, changes something, or runs code that its caller writes. */
export const TOOL_ACTIONS = ['reads', 'changes', 'runs_code'] as const;
export type ToolAction = (typeof TOOL_ACTIONS)[number];
