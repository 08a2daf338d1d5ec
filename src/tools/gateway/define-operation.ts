import type { GATEWAY_OPERATIONS } from '#core/llm/gateway.ts';
import type { CallPool, Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';

/** The definition of an operation. `Args` were already validated by the transport. */
export interface OperationDefinition<Args> {
  readonly name: (typeof GATEWAY_OPERATIONS)[keyof typeof GATEWAY_OPERATIONS];
  readonly title: string;
  /** Shown where access is granted. */
  readonly description: string;
  /** Absent if it calls no provider. */
  readonly pool?: CallPool;
  /** Absent if it changes nothing. */
  readonly effect?: 'adds' | 'deletes';
  readonly timeoutMs: number;
  readonly previewAsk?: (args: Args) => ReturnType<NonNullable<Tool['previewAsk']>>;
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}

/**
 * Defines an operation: a call that a transport runs for an endpoint, and that no tool list shows.
 */
export function defineOperation<Args extends object>(definition: OperationDefinition<Args>): Tool {
  const { name, title, description, pool, effect, timeoutMs, previewAsk } = definition;
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: effect === undefined,
      destructiveHint: effect === 'deletes',
      idempotentHint: true,
      openWorldHint: pool !== undefined,
    },
    tier: 'user',
    category: 'balanced',
    profile: 'full',
    ...(pool && { pool }),
    // Two equal requests want two answers.
    coalesce: false,
    timeoutMs,
    // The client is a program that waits, with its own timeout.
    background: 'never',
    resumable: false,
    parse: (args) => args,
    ...(previewAsk && { previewAsk: (args) => previewAsk(args as Args) }),
    run: (args, context) => definition.run(args as Args, context),
  };
}
