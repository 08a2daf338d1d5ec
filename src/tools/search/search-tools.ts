import * as z from 'zod';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { usableTools, type ToolCatalogue, type UsableTool } from '../resources/tool-catalogue.ts';
import type { LearntWords } from './learnt-words.ts';
import { createRanking, type ToolRanking } from './ranking/create-ranking.ts';
import { explainMatch } from './ranking/explain-match.ts';
import { toDocument } from './ranking/tool-document.ts';
import { renameSearchArguments } from './read-search.ts';
import {
  allText,
  foundText,
  noneText,
  startingText,
  unavailableText,
  type FoundForQuery,
} from './search-text.ts';
import { argumentsOf, callerName, renderToolHelp, requiredOf, summaryOf } from './tool-help.ts';

const USUAL_LIMIT = 8;
/** Of each of several queries. */
const USUAL_LIMIT_EACH = 5;
const MAX_LIMIT = 50;
const MAX_QUERIES = 20;
const MAX_QUERY_CHARS = 1000;
const MAX_OTHERS = 5;
/** Servers that an error repeats. */
const MAX_NAMED = 20;
/** The built-in tools, as a server. */
const OWN_SERVER = 'exai';

const FOUND_TOOL = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  listed: z.boolean(),
  call_with: z.string(),
  server: z.string(),
  required: z.array(z.string()),
  why: z.string().optional(),
  connection: z.string().optional(),
  quarantined: z.literal(true).optional(),
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

/** What there is to say about the server of a tool before it is called; empty where it works. */
export type ServerNote = (server: string) => string;

export interface SearchDeps {
  readonly catalogue: ToolCatalogue;
  readonly ranking?: ToolRanking;
  readonly serverNote?: ServerNote;
  /** Servers of a caller whose tools are not known yet; may wait for them for a moment. */
  readonly startingServers?: (caller: Caller) => Promise<readonly string[]>;
  /** Servers of a caller whose tools are not known as they cannot be used; each with a sentence and the fix. */
  readonly unavailableServers?: (caller: Caller) => readonly UnavailableServer[];
  /** Why a tool that a name is of is not known; undefined for other names. */
  readonly explainUnknown?: (name: string, caller: Caller) => CallError | undefined;
  readonly learnt?: LearntWords;
}

interface UnavailableServer {
  readonly server: string;
  readonly problem: string;
}

interface Filters {
  readonly servers?: readonly string[] | undefined;
  readonly effect?: 'reads' | 'changes' | undefined;
}

/**
 * Finds tools by what they do, and explains one in the detail that tool lists omit, because lists
 * are sent with every question.
 */
export function searchTools(deps: SearchDeps): Tool {
  const { catalogue, ranking = createRanking(), serverNote = () => '', learnt } = deps;
  const { startingServers = async () => [], unavailableServers = () => [] } = deps;

  function find(
    text: string,
    limit: number,
    usable: ReadonlyMap<string, UsableTool>,
    principal: string,
  ): Omit<FoundForQuery, 'query'> {
    const accepts = (name: string) => usable.has(name);
    const words = learnt && { learnt: learnt.of(principal) };
    const found = ranking.rank(catalogue.all(), text, { limit, accepts, ...words });
    return {
      found: found.flatMap(({ name }) => usable.get(name) ?? []),
      isWeak: found.some(({ isWeak }) => isWeak),
    };
  }

  function entryOf(found: UsableTool, usable: readonly UsableTool[], query?: string) {
    const { tool, listed } = found;
    const { name, title, origin, quarantine } = tool;
    const why = query === undefined ? '' : whyFound(query, found);
    const connection = origin ? serverNote(origin.server) : '';
    return {
      name,
      title,
      description: summaryOf(tool),
      listed,
      call_with: callerName(found, usable),
      server: origin?.server ?? OWN_SERVER,
      required: requiredOf(tool),
      ...(why !== '' && { why }),
      ...(connection !== '' && { connection }),
      ...(quarantine && { quarantined: true as const }),
    };
  }

  function explain(
    named: UsableTool,
    others: readonly UsableTool[],
    usable: readonly UsableTool[],
  ): ToolResult {
    const { tool } = named;
    const names = others.filter((each) => each !== named).slice(0, MAX_OTHERS);
    const more =
      names.length === 0
        ? ''
        : `\n\nOther tools that match: ${names.map((each) => each.tool.name).join(', ')}.`;
    const entry = {
      ...entryOf(named, usable),
      ...(tool.help !== undefined && { help: tool.help }),
      input_schema: tool.inputSchema,
      arguments: [...argumentsOf(tool)],
    };
    return { text: `${renderToolHelp(named, usable)}${more}`, content: { tools: [entry] } };
  }

  return defineTool({
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do, also unlisted ones and those of other servers. The name of one as the query gives its help and input schema; no query: all tools.',
    input: z.strictObject({
      query: z
        .string()
        .max(MAX_QUERY_CHARS)
        .optional()
        .describe('A name, or what the tool is to do.'),
      queries: z
        .array(z.string().max(MAX_QUERY_CHARS))
        .max(MAX_QUERIES)
        .optional()
        .describe('Several at once.'),
      servers: z.array(z.string()).optional(),
      effect: z.enum(['reads', 'changes']).optional(),
      schemas: z.boolean().optional(),
      limit: z.number().optional(),
    }),
    output: z.strictObject({
      tools: z.array(FOUND_TOOL),
      no_good_match: z.array(z.string()).optional(),
      starting: z.array(z.string()).optional(),
      unavailable: z.array(z.strictObject({ server: z.string(), problem: z.string() })).optional(),
      results: z
        .array(
          z.strictObject({ index: z.number(), use_case: z.string(), tools: z.array(z.string()) }),
        )
        .optional(),
    }),
    renameArguments: renameSearchArguments,
    effect: 'reads',
    profile: 'lean',
    reaches: 'all',
    async run({ query = '', queries = [], schemas = false, limit, ...filters }, { caller }) {
      const { principal } = caller;
      await learnt?.load(principal);
      const starting = await startingServers(caller);
      const unavailable = unavailableServers(caller);
      const note = startingText(starting) + unavailableText(unavailable);
      const more = {
        ...(starting.length > 0 && { starting: [...starting] }),
        ...(unavailable.length > 0 && { unavailable: [...unavailable] }),
      };
      await ranking.prepare(catalogue.all());
      const all = usableTools(caller, catalogue);
      const usable = filtered(all, filters, unavailable);
      const byName = new Map(usable.map((each) => [each.tool.name, each]));
      const wanted = [query, ...queries].map((each) => each.trim()).filter((each) => each !== '');
      const [first] = wanted;
      if (first === undefined) {
        const tools = usable.map((each) => entryOf(each, all));
        return { text: `${allText(usable, all)}${note}`, content: { tools, ...more } };
      }
      const usual = wanted.length === 1 ? USUAL_LIMIT : USUAL_LIMIT_EACH;
      const most = Math.min(MAX_LIMIT, Math.max(1, Math.trunc(limit ?? usual)));
      if (wanted.length === 1) {
        const named = byName.get(toName(first)) ?? byName.get(first);
        if (named) {
          const { found } = find(first, MAX_OTHERS + 1, byName, principal);
          return explain(named, found, all);
        }
      }
      const results = wanted.map((text): FoundForQuery => ({
        query: text,
        ...find(text, most, byName, principal),
      }));
      for (const { query: text, found } of results) {
        learnt?.searched(
          principal,
          text,
          found.map(({ tool: each }) => each.name),
        );
      }
      if (results.every(({ found }) => found.length === 0)) {
        return { text: `${noneText(wanted, usable)}${note}`, content: { tools: [], ...more } };
      }
      const entries = new Map<
        string,
        ReturnType<typeof entryOf> & { input_schema?: Tool['inputSchema'] }
      >();
      for (const { query: text, found } of results) {
        for (const each of found) {
          if (entries.has(each.tool.name)) continue;
          const schema = schemas ? { input_schema: each.tool.inputSchema } : {};
          entries.set(each.tool.name, { ...entryOf(each, all, text), ...schema });
        }
      }
      const tools = [...entries.values()];
      const weak = results.filter(({ isWeak }) => isWeak).map(({ query: text }) => text);
      const content = {
        tools,
        ...more,
        ...(weak.length > 0 && { no_good_match: weak }),
        ...(wanted.length > 1 && {
          results: results.map(({ query: text, found }, index) => ({
            index: index + 1,
            use_case: text,
            tools: found.map((each) => each.tool.name),
          })),
        }),
      };
      const context = { entries, usable: all, schemas, why: whyFound };
      return { text: `${foundText(results, context)}${note}`, content };
    },
  });
}

function whyFound(query: string, { tool }: UsableTool): string {
  return explainMatch(query, toDocument(tool));
}

function filtered(
  usable: readonly UsableTool[],
  { servers, effect }: Filters,
  unavailable: readonly UnavailableServer[],
): readonly UsableTool[] {
  if (servers === undefined && effect === undefined) return usable;
  const wanted = servers && new Set(servers.map((each) => each.toLowerCase()));
  const found = usable.filter(({ tool }) => {
    if (wanted && !wanted.has((tool.origin?.server ?? OWN_SERVER).toLowerCase())) return false;
    return effect === undefined || tool.annotations.readOnlyHint === (effect === 'reads');
  });
  if (wanted && found.length === 0) throw unknownServer(servers, usable, unavailable);
  return found;
}

function unknownServer(
  servers: readonly string[] = [],
  usable: readonly UsableTool[],
  unavailable: readonly UnavailableServer[],
): CallError {
  const wanted = unavailable.filter(({ server }) => servers.includes(server));
  if (wanted.length > 0) {
    const problems = wanted.map(({ problem }) => problem).join(' ');
    return new CallError('not_configured', problems, { field: 'servers' });
  }
  const named = [...new Set(servers)].slice(0, MAX_NAMED);
  const known = [...new Set(usable.map(({ tool }) => tool.origin?.server ?? OWN_SERVER))];
  return new CallError(
    'not_found',
    `No tool that you may use is of ${named.map((each) => `"${each.slice(0, 64)}"`).join(', ')} and does what "effect" says.`,
    { field: 'servers', fixes: [`Servers with tools: ${known.slice(0, 50).join(', ')}.`] },
  );
}

/** `Pre Commit` and `mcp__exai__precommit` as a name. */
function toName(query: string): string {
  return normaliseToolName(query)
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}
