import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Tool } from '#core/tool.ts';

/** Every tool, and who may use which. */
export interface Catalogue extends Pick<Calls, 'list' | 'decide'> {
  /** Also those that the profile leaves out; sorted by name. */
  all(): readonly Tool[];
}

export interface Usable {
  readonly tool: Tool;
  /** Whether `tools/list` names it; what it leaves out can be called all the same. */
  readonly listed: boolean;
}

/** What this caller may use, those that the profile leaves out included. */
export function usableBy(caller: Caller, catalogue: Catalogue): readonly Usable[] {
  const listed = new Set(catalogue.list(caller).tools.map(({ name }) => name));
  return catalogue
    .all()
    .filter(({ name }) => catalogue.decide(caller, name).verdict !== 'deny')
    .map((tool) => ({ tool, listed: listed.has(tool.name) }));
}
