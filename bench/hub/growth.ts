import * as z from 'zod';
import { createAccess } from '#calls/access.ts';
import { createContentRegistry } from '#calls/content-registry.ts';
import { createListPages, createToolLists } from '#calls/lists.ts';
import { createRegistry } from '#calls/registry.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { createRanking } from '#tools/search/ranking/create-ranking.ts';
import { median } from '../report.ts';

const TOOLS_PER_SERVER = 50;
const ROUNDS = 31;
const FINDS = 1_000;
const CALLER = { principal: 'local', scopes: ['*'], roots: [] };

/** CPU in ms of what happens to the registry, with so many servers of 50 tools. */
export interface GrowthFigures {
  /** One server replaces its tools, and a client lists afterwards. */
  readonly change: number;
  readonly list: number;
  /** A thousand times a tool by its name. */
  readonly finds: number;
  /** One search, with the index brought up to date after the change. */
  readonly search: number;
}

export function measureGrowth(servers: number): GrowthFigures {
  const registry = createRegistry({ profile: 'lean', enabled: [], disabled: [] });
  registry.put(
    'builtin',
    [1, 2, 3].map((n) => tool(`own_${n}`, 'lean')),
  );
  for (let server = 0; server < servers; server++) registry.put(`hub:${server}`, toolsOf(server));
  const content = createContentRegistry();
  const access = createAccess({ registry });
  const lists = createToolLists(registry, access);
  const pages = createListPages(lists, { registry, content, access, pageSize: 100 });
  const samples = {
    change: [] as number[],
    list: [] as number[],
    finds: [] as number[],
    search: [] as number[],
  };
  const ranking = createRanking();
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = toolsOf(0);
    samples.change.push(elapsedMs(() => registry.put('hub:0', fresh)));
    samples.list.push(elapsedMs(() => void pages(CALLER, 'tools', undefined)));
    samples.finds.push(
      elapsedMs(() => {
        for (let n = 0; n < FINDS; n++) registry.find(`mcp__s${n % servers}__tool_${n % 50}`);
      }),
    );
    const all = registry.all();
    samples.search.push(
      elapsedMs(() => void ranking.rank(all, 'tool 7 of server s3', { limit: 5 })),
    );
  }
  return {
    change: median(samples.change),
    list: median(samples.list),
    finds: median(samples.finds),
    search: median(samples.search),
  };
}

function elapsedMs(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

function toolsOf(server: number): Tool[] {
  return Array.from({ length: TOOLS_PER_SERVER }, (_, n) =>
    tool(`mcp__s${server}__tool_${n}`, 'hidden'),
  );
}

function tool(name: string, profile: Tool['profile']): Tool {
  const base = defineTool({
    name,
    title: 'A tool',
    description: 'Does nothing.',
    input: INPUT,
    effect: 'reads',
    profile: 'lean',
    run: () => Promise.resolve({ text: 'ok' }),
  });
  return { ...base, profile };
}

const INPUT = z.strictObject({ text: z.string() });
