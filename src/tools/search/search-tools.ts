import * as z from 'zod';
import { oneLine } from '#core/text/text.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { usableTools, type ToolCatalogue, type UsableTool } from '../resources/tool-catalogue.ts';
import { KEYWORDS } from './keywords.ts';
import { createToolRanking, type RankTools } from './rank-tools.ts';
import { argumentsOf, callerName, renderToolHelp, summaryOf } from './tool-help.ts';

const MAX_FOUND = 8;
const MAX_OTHERS = 5;
const MAX_SHOWN_CHARS = 80;

const FOUND_TOOL = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  listed: z.boolean(),
  call_with: z.string(),
  required: z.array(z.string()),
  help: z.string().optional(),
  input_schema: z.looseObject({}).optional(),
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
});

/**
 * Finds tools by what they do, and explains one in the detail that tool lists omit, because lists
 * are sent with every question.
 */
export function searchTools({ catalogue }: { readonly catalogue: ToolCatalogue }): Tool {
  const rank = createRanking();
  return defineTool({
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do, also those not in your list, such as precommit, analyze, refactor, testgen, secaudit, docgen, tracer, apilookup, challenge, threads, job_list, job_cancel. The name of a tool as the query gives its full help and input schema; no query: all tools.',
    input: z.strictObject({
      query: z.string().max(1000).optional().describe('A name, or what the tool is to do.'),
    }),
    output: z.strictObject({ tools: z.array(FOUND_TOOL) }),
    effect: 'reads',
    profile: 'lean',
    reaches: 'all',
    async run({ query = '' }, { caller }) {
      const usable = usableTools(caller, catalogue);
      const wanted = query.trim();
      if (wanted === '') return answer(allText(usable), usable, usable);
      const byName = new Map(usable.map((each) => [each.tool.name, each]));
      const found = rank(catalogue.all(), wanted).flatMap(({ name }) => byName.get(name) ?? []);
      const named = byName.get(toName(wanted));
      if (named) return explain(named, found, usable);
      if (found.length === 0) return answer(noneText(wanted, usable), [], usable);
      const best = found.slice(0, MAX_FOUND);
      return answer(foundText(best, usable), best, usable);
    },
  });
}

/** Ranks the tools of a catalogue, with one index until they change. */
export function createRanking(): (tools: readonly Tool[], query: string) => ReturnType<RankTools> {
  let indexed: readonly Tool[] | undefined;
  let rank: RankTools = () => [];
  return (tools, query) => {
    if (tools !== indexed) {
      rank = createToolRanking(tools.filter(({ reaches }) => !reaches).map(toDocument));
      indexed = tools;
    }
    return rank(query);
  };
}

function toDocument(tool: Tool) {
  const { name, title, description, inputSchema } = tool;
  return {
    name,
    title,
    description,
    argumentNames: Object.keys((inputSchema['properties'] ?? {}) as object),
    keywords: KEYWORDS[name] ?? '',
  };
}

/** `Pre Commit` and `mcp__exai__precommit` as a name. */
function toName(query: string): string {
  return normaliseToolName(query)
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

function explain(
  named: UsableTool,
  found: readonly UsableTool[],
  usable: readonly UsableTool[],
): ToolResult {
  const { tool } = named;
  const others = found
    .filter((each) => each !== named)
    .slice(0, MAX_OTHERS)
    .map((each) => each.tool.name);
  const more = others.length === 0 ? '' : `\n\nOther tools that match: ${others.join(', ')}.`;
  const entry = {
    ...entryOf(named, usable),
    ...(tool.help !== undefined && { help: tool.help }),
    input_schema: tool.inputSchema,
    arguments: [...argumentsOf(tool)],
  };
  return { text: `${renderToolHelp(named, usable)}${more}`, content: { tools: [entry] } };
}

function answer(
  text: string,
  found: readonly UsableTool[],
  usable: readonly UsableTool[],
): ToolResult {
  return { text, content: { tools: found.map((each) => entryOf(each, usable)) } };
}

function entryOf(found: UsableTool, usable: readonly UsableTool[]) {
  const { tool, listed } = found;
  const { name, title } = tool;
  return {
    name,
    title,
    description: summaryOf(tool),
    listed,
    call_with: callerName(found, usable),
    required: requiredOf(tool),
  };
}

function requiredOf(tool: Tool): string[] {
  return argumentsOf(tool).flatMap(({ name, required }) => (required ? [name] : []));
}

const EXPLAIN = 'search_tools with the name of one as the query gives its arguments.';

function allText(usable: readonly UsableTool[]): string {
  return [usable.map((each) => `- ${lineOf(each)}`).join('\n'), howToCall(usable, usable), EXPLAIN]
    .filter((part) => part !== '')
    .join('\n\n');
}

function foundText(found: readonly UsableTool[], usable: readonly UsableTool[]): string {
  const lines = found.map((each) => {
    const required = requiredOf(each.tool);
    const needs = required.length === 0 ? '' : ` Needs ${required.join(', ')}.`;
    return `- ${lineOf(each)}${needs}`;
  });
  return [lines.join('\n'), howToCall(found, usable), EXPLAIN]
    .filter((part) => part !== '')
    .join('\n\n');
}

function lineOf({ tool, listed }: UsableTool): string {
  return `${tool.name}${listed ? '' : ' (not listed)'}: ${summaryOf(tool)}`;
}

/** How to call the tools that are not listed; empty where all are. */
function howToCall(found: readonly UsableTool[], usable: readonly UsableTool[]): string {
  const unlisted = found.filter(({ listed }) => !listed);
  const wrapperOf = (each: UsableTool) => {
    const name = callerName(each, usable);
    return name === each.tool.name ? undefined : name;
  };
  return [...new Set(unlisted.map(wrapperOf))]
    .map((wrapper) => {
      const names = unlisted
        .filter((each) => wrapperOf(each) === wrapper)
        .map(({ tool }) => tool.name)
        .join(', ');
      return wrapper === undefined
        ? `Call ${names} by name; a client may allow only listed tools.`
        : `Call ${names} with ${wrapper} {"name": …, "arguments": {…}}.`;
    })
    .join('\n');
}

function noneText(query: string, usable: readonly UsableTool[]): string {
  const names = usable
    .filter(({ tool }) => !tool.reaches)
    .map(({ tool }) => tool.name)
    .join(', ');
  return `No tool matches "${oneLine(query, MAX_SHOWN_CHARS)}". The tools are: ${names}.`;
}
