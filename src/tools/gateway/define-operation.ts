import type { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import type { Lane, Tool, ToolAnswer, ToolContext } from '#core/tool.ts';

/** An operation as it is written down. `Args` are what its door made of a request: they are sound by then. */
export interface OperationDefinition<Args> {
  readonly name: (typeof GATEWAY_OPERATIONS)[keyof typeof GATEWAY_OPERATIONS];
  readonly title: string;
  /** For whoever gives out rights. */
  readonly description: string;
  /** Absent when it waits for nobody. */
  readonly lane?: Lane;
  readonly timeoutMs: number;
  readonly wouldAsk?: (args: Args) => ReturnType<NonNullable<Tool['wouldAsk']>>;
  run(args: Args, context: ToolContext): Promise<ToolAnswer>;
}

/** Something that a door runs for what it serves: a call like every other, and listed to nobody. */
export function defineOperation<Args extends object>(definition: OperationDefinition<Args>): Tool {
  const { name, title, description, lane, timeoutMs, wouldAsk } = definition;
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: lane !== undefined,
    },
    tier: 'user',
    category: 'balanced',
    profile: 'full',
    ...(lane && { lane }),
    // Who asks twice wants two answers.
    coalesce: false,
    timeoutMs,
    // A program waits at the other end, with a limit of its own.
    handOff: 'never',
    resumable: false,
    parse: (args) => args,
    ...(wouldAsk && { wouldAsk: (args) => wouldAsk(args as Args) }),
    run: (args, context) => definition.run(args as Args, context),
  };
}
