import { hash } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Caller } from '#core/call.ts';
import type { ListedTool, ToolList } from '#core/calls.ts';
import type { Tool } from '#core/tool.ts';
import { decide } from './decide.ts';
import type { Registry } from './registry.ts';

const MAX_LISTS = 256;

/** What each kind of caller sees, made once and kept until the tools change. */
export function createToolLists(registry: Registry): (caller: Caller) => ToolList {
  const lists = createBoundedMap<string, ToolList>({ maxEntries: MAX_LISTS });
  registry.onChange(() => lists.clear());
  return (caller) => {
    const key = `${caller.agent ?? ''}\n${caller.scopes.join('\n')}`;
    let list = lists.get(key);
    if (!list) {
      list = toList(registry, caller);
      lists.set(key, list);
    }
    return list;
  };
}

function toList(registry: Registry, caller: Caller): ToolList {
  const tools = registry
    .listed()
    .filter((tool) => decide(caller, tool).verdict !== 'deny')
    .map((tool) => toListed(tool, registry.profile));
  const json = JSON.stringify(tools);
  return { version: hash('sha256', json).slice(0, 16), tools, json };
}

/** Output schemas weigh more than they help a model that chooses a tool; only the full list has them. */
function toListed(tool: Tool, profile: Registry['profile']): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, icons } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(profile === 'full' && outputSchema && { outputSchema }),
    annotations,
    ...(icons && { icons }),
  };
}
