import { parseAgentRow, type AgentRow } from '#core/auth/agent-row.ts';
import { DEFAULT_AGENT_ROWS } from '#core/auth/default-agents.ts';
import { foldToolName } from '#core/hub/inner-tools.ts';
import { wildcardMatcher } from '#core/text/wildcard.ts';

/** The rows of agents in the settings; an agent that has some there has no others. */
export type AgentSettings = Readonly<Record<string, { readonly access: readonly string[] }>>;

/** A row that is matched often. */
export interface CompiledRow {
  readonly row: AgentRow;
  /** Conditions that do not depend on the arguments of a call, except what the tool does. */
  matches(target: {
    readonly server: string;
    readonly tool: string;
    readonly client: string;
  }): boolean;
}

/** Undefined for an agent without rows. */
export type FindRows = (agent: string) => readonly CompiledRow[] | undefined;

export function compileAgentRows(settings: AgentSettings): FindRows {
  const compiled = new Map<string, readonly CompiledRow[]>();
  for (const [agent, rows] of Object.entries(rowTextsOf(settings))) {
    compiled.set(agent, rows.flatMap((text) => parseAgentRow(text) ?? []).map(compileRow));
  }
  return (agent) => compiled.get(agent);
}

/** The rows of each agent as texts. */
export function rowTextsOf(settings: AgentSettings): Readonly<Record<string, readonly string[]>> {
  const own = Object.entries(settings).map(([agent, { access }]) => [agent, access] as const);
  return { ...DEFAULT_AGENT_ROWS, ...Object.fromEntries(own) };
}

function compileRow(row: AgentRow): CompiledRow {
  const matchesServer = wildcardMatcher(row.server);
  const matchesTool = toolMatcher(row);
  return {
    row,
    matches: ({ server, tool, client }) =>
      matchesServer(server) &&
      matchesTool(tool) &&
      (row.client === undefined || row.client === client),
  };
}

/**
 * A name that is spelt differently is another tool for what is permitted, and the same tool for what
 * is refused.
 */
function toolMatcher({ effect, tool: pattern }: AgentRow): (tool: string) => boolean {
  const matches = wildcardMatcher(pattern);
  if (effect !== 'deny') return matches;
  const matchesFolded = wildcardMatcher(foldToolName(pattern));
  return (tool) => matches(tool) || matchesFolded(foldToolName(tool));
}
