import { CallError } from '#core/call-error.ts';
import { oneLine } from '#core/one-line.ts';
import type { ResourceTemplate } from '#core/resource.ts';
import { ICON } from '../icon.ts';
import { usableBy, type Catalogue, type Usable } from './catalogue.ts';
import { TOOL_INDEX_URI } from './tool-index.ts';

const MIME_TYPE = 'application/json';
const MAX_NAME_CHARS = 128;

/** All that there is to know of one tool, with the schema of its output, which `tools/list` may leave out. */
export function toolDefinition(catalogue: Catalogue): ResourceTemplate {
  return {
    uriTemplate: `${TOOL_INDEX_URI}/{name}`,
    name: 'tool',
    title: 'Tool',
    description: 'The whole definition of a tool you may use, with its input and output schema.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'status',
    complete: {
      name: (value, _args, caller) => fitting(value, usableBy(caller, catalogue)),
    },
    read({ name = '' }, uri, { caller }) {
      // What the reader may not use is not there: nobody learns of a tool by asking for it.
      const found = usableBy(caller, catalogue).find(({ tool }) => tool.name === name);
      if (!found) throw unknown(name);
      return [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(definitionOf(found)) }];
    },
  };
}

function definitionOf({ tool, listed }: Usable) {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const { tier, category, profile, timeoutMs } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations,
    tier,
    category,
    profile,
    listed,
    timeoutMs,
  };
}

/** Those that begin so come first, then those that have it further in. */
function fitting(value: string, usable: readonly Usable[]): readonly string[] {
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
