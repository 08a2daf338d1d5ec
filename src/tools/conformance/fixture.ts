import * as z from 'zod';
import { defineTool, type ToolDefinition } from '#core/define-tool.schema.ts';
import type { JsonObject } from '#core/json.ts';
import type { Tool, ToolAnswer } from '#core/tool.ts';

type Given<Input extends z.ZodObject> = Pick<
  ToolDefinition<Input>,
  'name' | 'description' | 'input' | 'run' | 'handOff' | 'timeoutMs'
> & { readonly effect?: 'changes' };

/** A tool that the suite calls. Any profile lists it, and every call of it runs by itself. */
export function fixture<Input extends z.ZodObject>(given: Given<Input>): Tool {
  return defineTool({
    effect: 'reads',
    ...given,
    title: titleOf(given.name),
    profile: 'lean',
    coalesce: false,
  });
}

export const NO_INPUT = z.strictObject({});

interface RawFixture {
  readonly name: string;
  readonly description: string;
  /** As it is to be listed, to the letter: no schema library would write it so. */
  readonly inputSchema: JsonObject;
  readonly say: (args: Readonly<Record<string, unknown>>) => string;
}

/** A tool whose schema is written by hand. It takes whatever it is given. */
export function rawFixture({ name, description, inputSchema, say }: RawFixture): Tool {
  return {
    ...fixture({ name, description, input: NO_INPUT, run: async () => ({ text: '' }) }),
    inputSchema,
    parse: (args) => ({ ...args }),
    run: async (args): Promise<ToolAnswer> => ({ text: say(args) }),
  };
}

/** `Test simple text` of `test_simple_text`. */
export function titleOf(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}
