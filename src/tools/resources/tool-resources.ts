import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import { clientOutputSchema } from '#core/tools/structured-content.ts';
import { ICON } from '../icon.ts';
import { usableTools, type ToolCatalogue, type UsableTool } from './tool-catalogue.ts';

/** Updated whenever the tools change. */
export const TOOL_INDEX_URI = 'exai://tools';
const MIME_TYPE = 'application/json';

/** All tools that the caller may use, including those outside `tools/list`, without schemas. */
export function toolListResource(catalogue: ToolCatalogue): Resource {
  return {
    uri: TOOL_INDEX_URI,
    subscribable: true,
    name: 'tools',
    title: 'Tools',
    description:
      'Every tool you may use, those left out of tools/list included. exai://tools/{name} has the definition.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'status',
    read({ caller }) {
      const { version } = catalogue.list(caller);
      const tools = usableTools(caller, catalogue).map(({ tool, listed }) => {
        const { name, title, description, tier, profile } = tool;
        return { name, title, description, tier, profile, listed };
      });
      return [
        {
          uri: TOOL_INDEX_URI,
          mimeType: MIME_TYPE,
          text: JSON.stringify({ version, count: tools.length, tools }),
        },
      ];
    },
  };
}

const MAX_NAME_CHARS = 128;

/** The complete definition of a tool, with the output schema that `tools/list` may omit. */
export function toolTemplate(catalogue: ToolCatalogue): ResourceTemplate {
  return {
    uriTemplate: `${TOOL_INDEX_URI}/{name}`,
    name: 'tool',
    title: 'Tool',
    description: 'The whole definition of a tool you may use, with its input and output schema.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'status',
    complete: {
      name: (value, _args, caller) => fitting(value, usableTools(caller, catalogue)),
    },
    read({ name = '' }, uri, { caller }) {
      // A tool that the caller may not use is not found, so that its existence stays hidden.
      const found = usableTools(caller, catalogue).find(({ tool }) => tool.name === name);
      if (!found) throw unknown(name);
      return [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(definitionOf(found)) }];
    },
  };
}

function definitionOf({ tool, listed }: UsableTool) {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const { tier, category, profile, timeoutMs } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema: clientOutputSchema(outputSchema) }),
    annotations,
    tier,
    category,
    profile,
    listed,
    timeoutMs,
  };
}

/** Prefix matches first, then other matches. */
function fitting(value: string, usable: readonly UsableTool[]): readonly string[] {
  const typed = value.toLowerCase();
  const names = usable.map(({ tool }) => tool.name).filter((name) => name.includes(typed));
  const begins = (name: string) => name.startsWith(typed);
  return [...names.filter(begins), ...names.filter((name) => !begins(name))];
}

function unknown(name: string): CallError {
  const shown = oneLine(name, MAX_NAME_CHARS);
  return new CallError('not_found', `There is no tool "${shown}" that you may use.`, {
    field: 'uri',
    fix: `${TOOL_INDEX_URI} names them all.`,
  });
}
