import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';

const MAX_SHOWN_CHARS = 128;

export function unknownTool(server: string, slug: string): CallError {
  return codedError('not_found', reason('unknown_tool', { tool: slug, hint: '.' }), {
    field: 'name',
    fixes: [`Find it with search_tools, or with mcp__${server}__COMPOSIO_SEARCH_TOOLS.`],
  });
}

/** Pins are by name, so that a tool with a second name would have a second pin. */
export function secondName(slug: string, name: string): CallError {
  const problem = `is another name of ${oneLine(name, MAX_SHOWN_CHARS)}; call the tool by that name`;
  return codedError('validation', reason('invalid_argument', { argument: slug, problem }), {
    field: 'name',
  });
}
