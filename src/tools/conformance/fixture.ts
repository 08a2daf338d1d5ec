import * as z from 'zod';
import { defineTool, type ToolDefinition } from '#core/tools/define-tool.schema.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';

type Given<Input extends z.ZodObject> = Pick<
  ToolDefinition<Input>,
  'name' | 'description' | 'input' | 'run' | 'background' | 'timeoutMs'
> & { readonly effect?: 'changes' };

/**
 * Defines a tool for the suite. Every profile lists it, its calls are not coalesced, and its
 * results carry `structuredContent`.
 */
export function fixture<Input extends z.ZodObject>(given: Given<Input>): Tool {
  const tool = defineTool({
    effect: 'reads',
    ...given,
    title: fixtureTitle(given.name),
    profile: 'lean',
    coalesce: false,
  });
  return { ...tool, structuredContent: 'always' };
}

export const NO_INPUT = z.strictObject({});

interface RawFixture {
  readonly name: string;
  readonly description: string;
  /** Listed exactly as written, which a schema library would not do. */
  readonly inputSchema: JsonObject;
  readonly say: (args: Readonly<Record<string, unknown>>) => string;
}

/** Defines a tool with a hand-written schema. It accepts any arguments. */
export function rawFixture({ name, description, inputSchema, say }: RawFixture): Tool {
  return {
    ...fixture({ name, description, input: NO_INPUT, run: async () => ({ text: '' }) }),
    inputSchema,
    parse: (args) => ({ ...args }),
    run: async (args): Promise<ToolResult> => ({ text: say(args) }),
  };
}

/** The title `Test simple text` of the name `test_simple_text`. */
export function fixtureTitle(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}
