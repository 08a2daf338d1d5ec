import * as z from 'zod';
import { argumentError } from './argument-error.schema.ts';
import { Envelope } from './envelope.schema.ts';
import type { JsonObject } from './json.ts';
import type { Icon } from './content.ts';
import type { Asking } from './question.ts';
import type { Category, Lane, Profile, Tier, Tool, ToolAnswer, ToolContext } from './tool.ts';

/** A tool as it is written down. What is left out has the default that harms least. */
export interface ToolDefinition<Input extends z.ZodObject> {
  /** snake_case, as clients call it. */
  readonly name: string;
  readonly title: string;
  /** For the model that chooses: what it does, and when to use it. */
  readonly description: string;
  /** For `tool_help`; lists do without it. */
  readonly help?: string;
  /** Strict, so that a misspelt argument is an error. */
  readonly input: Input;
  /** Of the envelope's `content`. */
  readonly output?: z.ZodType;
  readonly effect: 'reads' | 'changes' | 'destroys';
  /** Whether calling it twice does no more than calling it once. Reading tools are. */
  readonly idempotent?: boolean;
  /** Whether it reaches beyond this machine and its own data. */
  readonly openWorld?: boolean;
  readonly tier?: Tier;
  readonly category?: Category;
  readonly affinity?: Tool['affinity'];
  /** `full` unless told: a tool earns its place in the smaller lists. */
  readonly profile?: Profile;
  readonly lane?: Lane;
  readonly coalesce?: boolean;
  readonly icons?: readonly Icon[];
  readonly timeoutMs?: number;
  /** `when_long` for what waits for a provider, otherwise `never`. */
  readonly handOff?: Tool['handOff'];
  readonly resumable?: boolean;
  /** What it would ask a model first, where it asks one. */
  readonly wouldAsk?: (args: z.output<Input>) => ReturnType<NonNullable<Tool['wouldAsk']>>;
  run(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer | Asking>;
}

const DEFAULT_TIMEOUT_MS = 90_000;

export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, help, input, output, effect, affinity, lane, icons, wouldAsk } =
    definition;
  const isReading = effect === 'reads';
  const isIdempotent = definition.idempotent ?? isReading;
  return {
    name,
    title,
    description,
    ...(help !== undefined && { help }),
    inputSchema: jsonSchema(input, 'input'),
    ...(output && { outputSchema: jsonSchema(Envelope.extend({ content: output }), 'output') }),
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
    ...(lane && { lane }),
    ...(icons && { icons }),
    coalesce: definition.coalesce ?? isIdempotent,
    timeoutMs: definition.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    handOff: definition.handOff ?? (lane ? 'when_long' : 'never'),
    resumable: definition.resumable ?? false,
    parse(args) {
      const { success, data, error } = input.safeParse(args);
      if (success) return data;
      throw argumentError(name, error, args, input);
    },
    ...(wouldAsk && { wouldAsk: (args) => wouldAsk(args as z.output<Input>) }),
    // Sound because the registry runs a tool only with what its own `parse` gave.
    run: (args, context) => definition.run(args as z.output<Input>, context),
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as JsonObject;
}
