import type { CallResult } from '#core/calls/calls.ts';
import type { InnerCalls } from '#core/calls/inner-calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ChatTool } from '#core/llm/chat.ts';
import type { LoopTool, LoopToolResult, Picture } from '#core/llm/tool-loop.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import type { Tool } from '#core/tools/tool.ts';
import { pickReadingTools, type OrderTools } from '../search/pick-reading-tools.ts';
import { summaryOf } from '../search/tool-help.ts';

/** A tool by its name, a server by its name, a pattern such as `mcp__github__*`, or a function of the caller. */
export type ToolEntry = string | ChatTool;

export interface WantedTools {
  readonly entries: readonly ToolEntry[];
  /** Adds the best tools for the question. */
  readonly auto: boolean;
  readonly question: string;
  /** `reading`: for a tool that is announced as reading. */
  readonly may: 'reading' | 'all';
}

/** The tools that a caller may use. */
export type ToolSource = Pick<InnerCalls, 'find' | 'all' | 'quarantineOf'>;

export interface ChosenTools {
  readonly tools: readonly LoopTool[];
  readonly notices: readonly Notice[];
}

export const NO_TOOLS: ChosenTools = { tools: [], notices: [] };

/** The tools that the arguments of a tool ask for; undefined for none. */
export function readWantedTools(
  args: {
    readonly prompt: string;
    readonly tools?: readonly string[] | undefined;
    readonly use_tools?: 'auto' | undefined;
  },
  may: WantedTools['may'],
): WantedTools | undefined {
  const { prompt: question, tools: entries = [], use_tools: use } = args;
  const auto = use === 'auto';
  return entries.length === 0 && !auto ? undefined : { entries, auto, question, may };
}

/** Of one server or pattern; vendors take 128 in all, and every one costs tokens. */
const MAX_OF_ENTRY = 24;
const MAX_TOOLS = 64;
const AUTO_TOOLS = 3;
const MAX_SHOWN_CHARS = 80;

/** The tools of a conversation: those that are named, and the best ones for its question. */
export function chooseTools(
  { entries, auto, question, may }: WantedTools,
  source: ToolSource,
  rank: OrderTools,
  run?: InnerCalls['run'],
): ChosenTools {
  const notices: Notice[] = [];
  const chosen = new Map<string, LoopTool>();
  if (entries.length > MAX_TOOLS) throw tooMany(entries.length);
  const add = (tool: Tool) => {
    if (!chosen.has(tool.name)) chosen.set(tool.name, toLoopTool(tool, run));
  };
  for (const entry of entries) {
    if (typeof entry === 'string') namedTools(entry).forEach(add);
    else chosen.set(entry.name, { ...entry, effect: 'reads' });
  }
  if (auto) {
    const free = source.all().filter(({ name }) => !chosen.has(name));
    pickReadingTools(free, question, rank, AUTO_TOOLS).forEach(add);
  }
  if (chosen.size > MAX_TOOLS) throw tooMany(chosen.size);
  return { tools: [...chosen.values()], notices };

  function namedTools(entry: string): readonly Tool[] {
    const tool = source.find(entry);
    if (tool) {
      if (may === 'reading' && !tool.annotations.readOnlyHint) throw notReading(tool.name);
      return [tool];
    }
    const all = source.all().filter((each) => isMeant(each, entry));
    if (all.length === 0) throw unknownEntry(entry, source);
    const usable = may === 'all' ? all : all.filter((each) => each.annotations.readOnlyHint);
    if (usable.length === 0) throw notReading(entry);
    const ranked = usable.length <= MAX_OF_ENTRY ? usable : best(usable);
    if (ranked.length < all.length) {
      const writing = all.length - usable.length;
      const about = { entry: shown(entry), offered: ranked.length, total: all.length, writing };
      notices.push(notice('tools_left_out', about));
    }
    return ranked;
  }

  /** The best for the question, then the others by name. */
  function best(tools: readonly Tool[]): readonly Tool[] {
    return [...new Set([...rank(tools, question), ...tools])].slice(0, MAX_OF_ENTRY);
  }
}

function isMeant({ name, origin }: Tool, entry: string): boolean {
  if (entry.includes('*')) return matchesWildcard(name, entry);
  return origin !== undefined && (origin.server === entry || `mcp__${origin.server}` === entry);
}

/** A tool of the registry. Each run is a separate call with the caller's rights. */
function toLoopTool(tool: Tool, run: InnerCalls['run'] | undefined): LoopTool {
  const { name, title, description, inputSchema, annotations } = tool;
  return {
    name,
    description: (tool.origin ? description : summaryOf(tool)) || title,
    parameters: withoutSchemaName(inputSchema),
    effect: annotations.readOnlyHint ? 'reads' : 'writes',
    ...(run && {
      run: async (args, { signal, timeoutMs, round, maxCostMicroUsd }) => {
        const cost = maxCostMicroUsd === undefined ? {} : { maxCostMicroUsd };
        const result = await run({ tool: name, args, signal, timeoutMs, round, ...cost });
        const server = tool.origin && { server: tool.origin.server };
        return { ...toLoopResult(result), ...server };
      },
    }),
  };
}

function withoutSchemaName(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}

function toLoopResult({ envelope, text, error, blocks, foreign }: CallResult): LoopToolResult {
  const { usage, req_id: reqId } = envelope;
  const failure = error?.lacks ? needsInput(envelope.tool) : error;
  const pictures = [...(blocks ?? []), ...(foreign?.content ?? [])].flatMap(pictureOf);
  return {
    // The text of a call that failed here is its error; a server may say more.
    text: failure && !foreign ? '' : text,
    reqId,
    ...(pictures.length > 0 && { pictures }),
    ...(failure && { failure }),
    ...(usage && { costMicroUsd: toMicroUsd(usage.cost_usd) }),
  };
}

const PICTURE_TYPE = /^image\/(?:png|jpeg|webp|gif)$/i;
const MAX_PICTURE_CHARS = 7_000_000;

function pictureOf(block: object): Picture[] {
  const { type, data, mimeType } = block as Readonly<Record<string, unknown>>;
  if (type !== 'image' || typeof data !== 'string' || typeof mimeType !== 'string') return [];
  if (!PICTURE_TYPE.test(mimeType) || data.length > MAX_PICTURE_CHARS) return [];
  return [{ type: 'image', source: { base64: data, mediaType: mimeType.toLowerCase() } }];
}

function needsInput(tool: string): CallError {
  return codedError('bad_request', reason('loop_tool_needs_input', { tool }), {
    fixes: ['Ask the user to call it.'],
  });
}

function notReading(tool: string): CallError {
  return codedError('validation', reason('loop_tool_not_reading', { tool: shown(tool) }), {
    field: 'tools',
    fixes: ['Give it to kimi_chat_with_tools, which may change something.'],
  });
}

function unknownEntry(entry: string, source: ToolSource): CallError {
  const quarantine = source.quarantineOf?.(entry);
  if (quarantine) return codedError('permission', quarantine, { field: 'tools' });
  const all = source.all();
  const servers = all.flatMap(({ origin }) => (origin ? [origin.server] : []));
  const names = [...new Set([...all.map(({ name }) => name), ...servers])];
  const about = { tool: shown(entry), hint: didYouMean(entry.slice(0, MAX_SHOWN_CHARS), names) };
  return codedError('not_found', reason('unknown_tool', about), {
    field: 'tools',
    fixes: [fix('list_tools')],
  });
}

function tooMany(count: number): CallError {
  const message = `There are ${count} tools, and a conversation takes at most ${MAX_TOOLS}.`;
  return new CallError('validation', message, {
    field: 'tools',
    fixes: ['Name fewer tools or servers.'],
  });
}

function shown(entry: string): string {
  return oneLine(entry, MAX_SHOWN_CHARS);
}
