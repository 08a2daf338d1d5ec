import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Tool } from '#core/tools/tool.ts';

/** All tools, with access decisions. */
export interface ToolCatalogue extends Pick<Calls, 'list' | 'decide'> {
  /** Includes tools outside the profile; sorted by name. */
  all(): readonly Tool[];
}

export interface UsableTool {
  readonly tool: Tool;
  /** Whether `tools/list` shows it; other tools are reached through `call_tool`. */
  readonly listed: boolean;
}

/** The tools that this caller may use, including those outside the profile. */
export function usableTools(caller: Caller, catalogue: ToolCatalogue): readonly UsableTool[] {
  const listed = new Set(catalogue.list(caller).tools.map(({ name }) => name));
  return (
    catalogue
      .all()
      .filter(({ name }) => catalogue.decide(caller, name).verdict !== 'deny')
      .map((tool) => ({ tool, listed: listed.has(tool.name) }))
      // A wrapper that is not listed gives this caller nothing; other tools are reached through one.
      .filter(({ listed: isListed, tool: { reaches = 'all' } }) => isListed || reaches === 'all')
  );
}
