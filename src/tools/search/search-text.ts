import type { JsonObject } from '#core/json/json.ts';
import { oneLine } from '#core/text/text.ts';
import type { UsableTool } from '../resources/tool-catalogue.ts';
import { callerName, compactSchema, requiredOf, summaryOf } from './tool-help.ts';

/** The tools that one query found, best first. */
export interface FoundForQuery {
  readonly query: string;
  readonly found: readonly UsableTool[];
  /** No tool of those found matches well. */
  readonly isWeak: boolean;
}

interface FoundEntry {
  readonly connection?: string;
  readonly input_schema?: JsonObject;
}

interface FoundContext {
  readonly entries: ReadonlyMap<string, FoundEntry>;
  readonly usable: readonly UsableTool[];
  readonly schemas: boolean;
  /** By what a query found a tool; empty where there is nothing to say. */
  readonly why: (query: string, found: UsableTool) => string;
}

const MAX_SHOWN_CHARS = 80;
const MAX_SUMMARY_CHARS = 300;
const MAX_NAMES = 200;
const MAX_STARTING = 20;
const ENDS_SENTENCE = /[.!?…。！？]$/u;
const EXPLAIN = 'search_tools with the name of one as the query gives its arguments.';

export function allText(tools: readonly UsableTool[], usable: readonly UsableTool[]): string {
  return joined([
    tools.map((each) => `- ${lineOf(each)}`).join('\n'),
    howToCall(tools, usable),
    EXPLAIN,
  ]);
}

export function foundText(results: readonly FoundForQuery[], context: FoundContext): string {
  const { usable, schemas } = context;
  const parts = results.map(({ query, found, isWeak }, at) => {
    const heading = results.length === 1 ? [] : [`${at + 1}. ${oneLine(query, MAX_SHOWN_CHARS)}`];
    const lines =
      found.length === 0
        ? ['No tool matches.']
        : found.map((each) => foundLine(each, query, context));
    const weak = isWeak ? ['No tool matches well. These have only some words of the query:'] : [];
    return [...heading, ...weak, ...lines].join('\n');
  });
  const found = [...new Set(results.flatMap((each) => each.found))];
  return joined([...parts, howToCall(found, usable), schemas ? '' : EXPLAIN]);
}

function foundLine(each: UsableTool, query: string, { entries, why }: FoundContext): string {
  const { connection, input_schema: schema } = entries.get(each.tool.name) ?? {};
  const required = requiredOf(each.tool);
  const needs = required.length === 0 ? '' : ` Needs ${required.join(', ')}.`;
  const by = why(query, each);
  const because = by === '' ? '' : ` Found by ${by}.`;
  const state = connection === undefined ? '' : ` ${connection}`;
  const line = `- ${lineOf(each)}${needs}${because}${state}`;
  return schema === undefined ? line : `${line}\n  Input schema: ${compactSchema(schema)}`;
}

export function noneText(queries: readonly string[], usable: readonly UsableTool[]): string {
  const names = usable.filter(({ tool }) => !tool.reaches).map(({ tool }) => tool.name);
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const wanted = queries.map((query) => `"${oneLine(query, MAX_SHOWN_CHARS)}"`).join(' or ');
  return `No tool matches ${wanted}. The tools are: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`;
}

/** Says which servers are not searched yet; empty for none. */
export function startingText(servers: readonly string[]): string {
  if (servers.length === 0) return '';
  const names = servers.slice(0, MAX_STARTING).join(', ');
  return `\n\nThese servers are starting, and their tools are not known yet: ${names}. Search again in some seconds.`;
}

/** Says which servers are not searched as they cannot be used; empty for none. */
export function unavailableText(
  servers: readonly { readonly server: string; readonly problem: string }[],
): string {
  if (servers.length === 0) return '';
  const lines = servers.slice(0, MAX_STARTING).map(({ problem }) => `- ${problem}`);
  return `\n\nThe tools of these servers are not known:\n${lines.join('\n')}`;
}

function lineOf({ tool, listed }: UsableTool): string {
  const summary = tool.origin ? oneLine(summaryOf(tool), MAX_SUMMARY_CHARS) : summaryOf(tool);
  const text = summary || tool.title;
  const end = ENDS_SENTENCE.test(text) ? '' : '.';
  return `${tool.name}${listed ? '' : ' (not listed)'}: ${text}${end}`;
}

/** How to call the tools that are not listed; empty where all are. */
function howToCall(found: readonly UsableTool[], usable: readonly UsableTool[]): string {
  const unlisted = found.filter(({ listed, tool }) => !listed && !tool.quarantine);
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

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
