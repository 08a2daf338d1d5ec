import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { CALL_TOOL, CALL_TOOL_WRITE } from '#core/tools/tool-name.ts';
import type { Tool } from '#core/tools/tool.ts';

const INPUT = z.strictObject({
  name: z.string().min(1).max(128).describe('Of the tool.'),
  arguments: z.looseObject({}).optional().describe('Of the tool.'),
});

/**
 * The wrappers, for clients that call only tools that are listed. A call of one is replaced by the
 * call of the tool that it names before it starts (`unwrapCall`); only a call that names none
 * arrives here, and its arguments are refused.
 */
export const readingWrapper: Tool = defineTool({
  name: CALL_TOOL,
  title: 'Call a tool',
  description:
    'Calls a tool that only reads, also one not in your list; search_tools shows its arguments. A next_call of such a tool goes through call_tool, too.',
  input: INPUT,
  output: z.unknown(),
  effect: 'reads',
  idempotent: false,
  openWorld: true,
  profile: 'lean',
  reaches: 'reading',
  run: refuse,
});

export const writingWrapper: Tool = defineTool({
  name: CALL_TOOL_WRITE,
  title: 'Call a tool that changes things',
  description:
    'Calls a tool that changes or deletes something, such as job_cancel and threads. Arguments: as for call_tool.',
  input: INPUT,
  output: z.unknown(),
  effect: 'destroys',
  openWorld: true,
  profile: 'lean',
  reaches: 'writing',
  run: refuse,
});

function refuse(): Promise<never> {
  return Promise.reject(
    new CallError('validation', '"name" must be a tool, and "arguments" an object.', {
      field: 'arguments',
    }),
  );
}
