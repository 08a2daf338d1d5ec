import type { JsonObject } from '#core/json/json.ts';
import type { ComposioToolInfo } from './composio-api.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** A tool of an app as an MCP server would list it. */
export function toMcpDefinition({
  slug,
  name,
  description,
  tags,
  inputSchema,
}: ComposioToolInfo): JsonObject {
  return {
    name: slug,
    title: name,
    description,
    inputSchema,
    annotations: Object.fromEntries(
      HINTS.filter((hint) => tags.includes(hint)).map((hint) => [hint, true]),
    ),
  };
}

/** The seed's tool for files of the code interpreter, which the vendor has under another name. */
export const WRITE_FILE = 'CODEINTERPRETER_WRITE_FILE_CMD';

export const WRITE_FILE_DEFINITION: JsonObject = {
  name: WRITE_FILE,
  title: 'Write file',
  description: 'Writes a text file to the sandbox of the code interpreter.',
  inputSchema: {
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'Where to, such as /home/user/report.md.' },
      content: { type: 'string', description: 'The text.' },
      sandbox_id: { type: 'string', description: 'Default: the sandbox that was used last.' },
    },
    required: ['file_path', 'content'],
  },
  annotations: { destructiveHint: true },
};
