import type { Tool } from '#core/tools/tool.ts';
import { toDocument } from './tool-document.ts';
import { createToolIndex, type FoundTool, type ToolSearchOptions } from './tool-index.ts';

/** Ranks the tools of a list that changes. */
export interface ToolRanking {
  /** Brings the index up to date without keeping the event loop busy. */
  prepare(tools: readonly Tool[]): Promise<void>;
  /** Tools that fit a text, best first. Brings the index up to date if `prepare` has not. */
  rank(tools: readonly Tool[], text: string, options: ToolSearchOptions): readonly FoundTool[];
}

const TOOLS_AT_ONCE = 100;

/** An index of which only what changed in the list is made again; `pause` lets other work run. */
export function createRanking(pause: () => Promise<void> = async () => undefined): ToolRanking {
  const index = createToolIndex();
  const indexed = new Map<string, Tool>();
  let current: readonly Tool[] | undefined;

  /** Indexes up to so many changed tools; returns whether the index is up to date. */
  function update(tools: readonly Tool[], limit: number): boolean {
    if (tools === current) return true;
    let left = limit;
    const names = new Set<string>();
    for (const tool of tools) {
      // Those that give access to others are not found.
      if (tool.reaches) continue;
      const { name } = tool;
      names.add(name);
      if (indexed.get(name) === tool) continue;
      if (left === 0) return false;
      left -= 1;
      index.put(name, toDocument(tool));
      indexed.set(name, tool);
    }
    for (const name of indexed.keys()) {
      if (names.has(name)) continue;
      index.remove(name);
      indexed.delete(name);
    }
    current = tools;
    return true;
  }

  return {
    async prepare(tools) {
      while (!update(tools, TOOLS_AT_ONCE)) await pause();
    },
    rank(tools, text, options) {
      update(tools, Infinity);
      return index.search(text, options);
    },
  };
}
