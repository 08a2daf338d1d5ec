import * as z from 'zod';
import type { Caller } from '../calls/call.ts';
import { argumentError } from '../errors/argument-error.schema.ts';
import { Envelope } from '../calls/envelope.schema.ts';
import type { JsonObject } from '../json/json.ts';
import { lazy } from '../lazy.ts';
import type { Icon } from './content.ts';
import type { InputRequired } from './input-request.ts';
import type { Category, CallPool, Profile, Tier, Tool, ToolResult, ToolContext } from './tool.ts';

/** The definition of a tool. Omitted fields have the safest default. */
export interface ToolDefinition<Input extends z.ZodObject> {
  /** snake_case, as clients call it. */
  readonly name: string;
  readonly title: string;
  /** For the model that chooses a tool: what it does, and when to use it. */
  readonly description: string;
  /** For `search_tools`; not in lists. */
  readonly help?: string;
  /** Must be strict, so that a misspelt argument is an error. */
  readonly input: Input;
  /** Schema of the envelope's `content`. */
  readonly output?: z.ZodType;
  /** Rewrites arguments under other names, before they are validated. */
  readonly renameArguments?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly effect: 'reads' | 'changes' | 'destroys';
  /** Whether repeated calls have no further effect. Reading tools are idempotent. */
  readonly idempotent?: boolean;
  /** Whether it reaches beyond this machine and its own data. */
  readonly openWorld?: boolean;
  readonly tier?: Tier;
  readonly category?: Category;
  readonly affinity?: Tool['affinity'];
  /** Default: `full`. */
  readonly profile?: Profile;
  readonly pool?: CallPool;
  readonly reaches?: Tool['reaches'];
  readonly coalesce?: boolean;
  readonly icons?: readonly Icon[];
  readonly timeoutMs?: number;
  /** Default: `auto` with a pool, otherwise `never`. */
  readonly background?: Tool['background'];
  readonly resumable?: boolean;
  /** The first model request it would make. */
  readonly previewAsk?: (
    args: z.output<Input>,
    caller?: Caller,
  ) => ReturnType<NonNullable<Tool['previewAsk']>>;
  run(args: z.output<Input>, context: ToolContext): Promise<ToolResult | InputRequired>;
}

const DEFAULT_TIMEOUT_MS = 90_000;

export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const {
    name,
    title,
    description,
    help,
    input,
    output,
    effect,
    affinity,
    pool,
    icons,
    reaches,
    renameArguments,
    previewAsk,
  } = definition;
  const isReading = effect === 'reads';
  const isIdempotent = definition.idempotent ?? isReading;
  // Made when they are first read, as a daemon that starts needs none of them.
  const inputSchema = lazy(() => jsonSchema(input, 'input'));
  const tool: Tool = {
    name,
    title,
    description,
    ...(help !== undefined && { help }),
    get inputSchema() {
      return inputSchema();
    },
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: effect === 'destroys',
      idempotentHint: isIdempotent,
      openWorldHint: definition.openWorld ?? false,
    },
    tier: definition.tier ?? 'user',
    category: definition.category ?? 'fast_response',
    profile: definition.profile ?? 'full',
    ...(affinity && { affinity }),
    ...(pool && { pool }),
    ...(icons && { icons }),
    ...(reaches && { reaches }),
    coalesce: definition.coalesce ?? isIdempotent,
    timeoutMs: definition.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    background: definition.background ?? (pool ? 'auto' : 'never'),
    resumable: definition.resumable ?? false,
    parse(args) {
      const named = renameArguments?.(args) ?? args;
      const { success, data, error } = input.safeParse(named);
      if (success) return data;
      throw argumentError(name, error, named, input);
    },
    ...(previewAsk && {
      previewAsk: (args, caller) => previewAsk(args as z.output<Input>, caller),
    }),
    // Safe, as the registry runs a tool only with the output of its `parse`.
    run: (args, context) => definition.run(args as z.output<Input>, context),
  };
  if (!output) return tool;
  const get = lazy(() => jsonSchema(Envelope.extend({ content: output }), 'output'));
  return Object.defineProperty(tool, 'outputSchema', { get, enumerable: true });
}

/** Without `$schema`: 2020-12 is the default of MCP, and every list of tools would repeat it. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  return json as JsonObject;
}
