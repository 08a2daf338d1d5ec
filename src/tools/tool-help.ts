import * as z from 'zod';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import { normaliseToolName } from '#core/tool-name.ts';
import type { Tool } from '#core/tool.ts';
import { argumentsOf, indexWords, toolWords } from './help/tool-words.ts';
import { usableBy, type Catalogue } from './materials/catalogue.ts';

export interface ToolHelpDeps {
  readonly catalogue: Catalogue;
  /** `, did you mean "x"?` or nothing. */
  readonly suggest: (name: string, caller: Caller) => string;
}

/** What the schemas of a list leave out, for who asks: lists are sent with every question, this is not. */
export function toolHelp({ catalogue, suggest }: ToolHelpDeps): Tool {
  return defineTool({
    name: 'tool_help',
    title: 'Tool help',
    description:
      'How a tool is called: its arguments, statuses and what comes back. Without "tool": every tool there is, those left out of this list included.',
    input: z.strictObject({ tool: z.string().min(1).max(128).optional() }),
    output: z.strictObject({
      tools: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          profile: z.string(),
          listed: z.boolean(),
          help: z.string().optional(),
          arguments: z
            .array(
              z.strictObject({
                name: z.string(),
                required: z.boolean(),
                kind: z.string(),
                default: z.unknown().optional(),
                about: z.string(),
              }),
            )
            .optional(),
        }),
      ),
    }),
    effect: 'reads',
    profile: 'lean',
    async run({ tool: wanted }, { caller }) {
      const usable = usableBy(caller, catalogue);
      if (wanted === undefined) {
        const tools = usable.map(({ tool: { name, title, profile }, listed }) => ({
          name,
          title,
          profile,
          listed,
        }));
        return { text: indexWords(usable), content: { tools } };
      }
      const name = normaliseToolName(wanted);
      const found = usable.find(({ tool }) => tool.name === name);
      if (!found) {
        const hint = suggest(wanted, caller) || '.';
        throw new CallError('not_found', `There is no tool "${oneLine(wanted, 80)}"${hint}`, {
          field: 'tool',
          fixes: [fix('list_tools')],
        });
      }
      const { title, profile, help } = found.tool;
      const entry = {
        name,
        title,
        profile,
        listed: found.listed,
        ...(help !== undefined && { help }),
        arguments: [...argumentsOf(found.tool)],
      };
      return { text: toolWords(found), content: { tools: [entry] } };
    },
  });
}
