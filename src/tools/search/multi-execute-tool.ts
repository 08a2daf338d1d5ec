import * as z from 'zod';
import type { CallResult } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { renameBatchArguments } from './read-batch.ts';

const MAX_CALLS = 50;
const MAX_SHOWN_CHARS = 128;

const ITEM = z.strictObject({
  name: z.string().min(1).max(MAX_SHOWN_CHARS).describe('Of the tool.'),
  arguments: z.looseObject({}).optional(),
});

const RESULT = z.strictObject({
  index: z.number(),
  tool_slug: z.string(),
  req_id: z.string().optional(),
  response: z.strictObject({ successful: z.literal(true), data: z.unknown() }).optional(),
  error: z.string().optional(),
  error_class: z.string().optional(),
  fix: z.string().optional(),
});

type Result = z.output<typeof RESULT>;

/**
 * Calls several tools, each as a separate call with the caller's rights, so that the limits of its
 * server, its scopes and its audit row are those of any call.
 */
export const multiExecuteTool: Tool = create();

function create(): Tool {
  return defineTool({
    name: 'multi_execute_tool',
    title: 'Call several tools',
    description:
      'Calls up to 50 tools at once, each with a separate result or error; those that fail stop no others.',
    input: z.strictObject({
      tools: z.array(ITEM).min(1).max(MAX_CALLS),
      sequential: z.boolean().optional().describe('One after the other; the first error ends it.'),
    }),
    output: z.strictObject({
      results: z.array(RESULT),
      total_count: z.number(),
      success_count: z.number(),
      error_count: z.number(),
    }),
    renameArguments: renameBatchArguments,
    effect: 'destroys',
    openWorld: true,
    coalesce: false,
    profile: 'standard',
    reaches: 'all',
    timeoutMs: 300_000,
    background: 'auto',
    async run({ tools, sequential = false }, context) {
      const results = sequential
        ? await runInOrder(tools, context)
        : await Promise.all(tools.map((each, index) => runOne(each, index, context)));
      return summary(results);
    },
  });
}

type Item = z.output<typeof ITEM>;

async function runInOrder(items: readonly Item[], context: ToolContext): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    const failed = results.find(({ error }) => error !== undefined);
    if (failed) {
      const error = `It was not called, as ${failed.index} (${failed.tool_slug}) failed before it.`;
      results.push({ index, tool_slug: item.name, error, error_class: 'cancelled' });
    } else results.push(await runOne(item, index, context));
  }
  return results;
}

async function runOne(
  { name, arguments: args = {} }: Item,
  index: number,
  context: ToolContext,
): Promise<Result> {
  const { calls } = context;
  const found = calls.find(name);
  if (found?.reaches) {
    const error = new CallError(
      'bad_request',
      `"${found.name}" calls other tools, so it cannot be called here.`,
    );
    return failed(index, found.name, error);
  }
  try {
    return toResult(
      index,
      await calls.run({ tool: name, args }),
      found?.name ?? oneLine(name, MAX_SHOWN_CHARS),
    );
  } catch (thrown) {
    // Cancelling this call cancels those within it.
    context.signal.throwIfAborted();
    return failed(index, oneLine(name, MAX_SHOWN_CHARS), CallError.from(thrown));
  }
}

function toResult(index: number, result: CallResult, name: string): Result {
  const { envelope, error, inputRequired, foreign, text } = result;
  const slug = { index, tool_slug: name, req_id: envelope.req_id };
  if (inputRequired || error?.lacks) {
    const message = `"${name}" needs an answer of the user. Call it by itself.`;
    return { ...slug, error: message, error_class: 'bad_request' };
  }
  if (error) return { ...failed(index, name, error, foreign ? text : ''), req_id: envelope.req_id };
  const data: unknown = foreign
    ? (foreign.structuredContent ?? parsed(text))
    : (envelope.content ?? text);
  return { ...slug, response: { successful: true, data } };
}

/** What a server says about its failure tells more than that it failed. */
function failed(index: number, name: string, error: CallError, said = ''): Result {
  return {
    index,
    tool_slug: name,
    error: said === '' ? error.message : said,
    error_class: error.class,
    ...(error.fix !== undefined && { fix: error.fix }),
  };
}

/** Many servers answer with JSON as text. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function summary(results: readonly Result[]): ToolResult {
  const errors = results.filter(({ error }) => error !== undefined).length;
  const content = {
    results,
    total_count: results.length,
    success_count: results.length - errors,
    error_count: errors,
  };
  const lines = results.map(({ index, tool_slug: name, response, error, fix = '' }) =>
    response
      ? `## ${index}. ${name}\n\n${textOf(response.data)}`
      : `## ${index}. ${name} failed\n\n${[error, fix].join(' ').trim()}`,
  );
  const head = `${content.success_count} of ${content.total_count} succeeded.`;
  return {
    text: [head, ...lines].join('\n\n'),
    content,
    ...(errors > 0 && { status: 'incomplete' }),
    ...(errors === results.length && {
      failure: new CallError('tool_error', `${errors} out of ${results.length} tools failed.`),
    }),
  };
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}
