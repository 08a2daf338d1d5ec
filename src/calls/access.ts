import { createBoundedMap, type BoundedMap } from '#core/bounded-map.ts';
import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import type { AccessDecision } from '#core/auth/decision.ts';
import type { Caller } from '#core/calls/call.ts';
import { reason } from '#core/messages/reasons.ts';
import { compileAgentRows, type AgentSettings, type FindRows } from './agents/agent-rows.ts';
import { decideByRows, smaller, type AgentTool } from './agents/decide-by-rows.ts';
import type { Callable } from './content-callables.ts';
import type { Registry } from './registry.ts';
import { decideCallByScopes } from './inner-scopes.ts';
import type { ScopedTool } from './scopes.ts';

type Args = Readonly<Record<string, unknown>>;

/** The one decision about what a caller may use, for lists, searches and calls. */
export interface Access {
  /**
   * What a caller may do with a tool. Without arguments: what it may do with some; a decision that
   * depends on them (`dependsOnArguments`) must be made again with those of the call.
   */
  decide(caller: Caller, tool: ScopedTool & AgentTool, args?: Args): AccessDecision;
  /** The same for a prompt, resource or operation, by the tool that it uses. */
  decideCallable(caller: Caller, callable: Callable, args?: Args): AccessDecision;
}

export interface AccessOptions {
  readonly registry: Pick<Registry, 'find'>;
  /** The rows of agents in the settings, read at each decision. */
  readonly agents?: () => AgentSettings;
}

interface CompiledAgents {
  readonly from: AgentSettings;
  readonly rowsOf: FindRows;
  /** Decisions without arguments, by agent and client, for each tool. */
  readonly decided: BoundedMap<string, WeakMap<object, AccessDecision>>;
}

const NO_SETTINGS: AgentSettings = {};
const MAX_AGENTS = 256;

/**
 * Decides by the rows of the agent first, where an agent of the daemon calls, and then by the scopes
 * of the client that it works for. The smaller of the two permissions is that of the call.
 */
export function createAccess({ registry, agents = () => NO_SETTINGS }: AccessOptions): Access {
  let compiled: CompiledAgents | undefined;

  function current(): CompiledAgents {
    const from = agents();
    if (compiled?.from !== from) {
      const decided = createBoundedMap<string, WeakMap<object, AccessDecision>>({
        maxEntries: MAX_AGENTS,
      });
      compiled = { from, rowsOf: compileAgentRows(from), decided };
    }
    return compiled;
  }

  /** What the rows permit; without arguments it is decided once for each tool. */
  function byRows(agent: string, client: string, tool: AgentTool, args?: Args): AccessDecision {
    const { rowsOf, decided } = current();
    const about = { agent, client, rows: rowsOf(agent) };
    const key = JSON.stringify([agent, client]);
    let known = decided.get(key);
    if (!known) decided.set(key, (known = new WeakMap()));
    let first = known.get(tool);
    if (!first) known.set(tool, (first = decideByRows(about, tool)));
    const isFinal = args === undefined || !first.dependsOnArguments;
    return isFinal ? first : decideByRows(about, tool, args);
  }

  function decide(caller: Caller, tool: ScopedTool & AgentTool, args?: Args): AccessDecision {
    const { agent, principal } = caller;
    if (agent === undefined) return decideCallByScopes(caller, tool, args);
    const client = clientNameOfPrincipal(principal);
    const own = byRows(agent, client, tool, args);
    if (own.verdict === 'deny') return own;
    const scoped = decideCallByScopes(caller, tool, args);
    return { ...own, ...smaller(own, scoped), reasons: [...own.reasons, ...scoped.reasons] };
  }

  return {
    decide,
    decideCallable(caller, callable, args) {
      const { tool: own, uses, kind } = callable;
      const content = kind === 'operation' ? {} : ({ isContent: true } as const);
      if (own.origin) {
        return decide(caller, { ...own, ...content, name: own.name.replace(KIND, '') }, args);
      }
      if (uses === undefined) return decide(caller, { ...own, ...content }, args);
      const tool = registry.find(uses);
      // Its arguments are not those of the tool, so no row that wants some permits it.
      if (tool) return decide(caller, tool, {});
      return { verdict: 'deny', reasons: [reason('used_tool_off', { tool: uses })] };
    },
  };
}

/** Content of a server is decided about like its tools, under its own name. */
const KIND = /^(?:prompt|resource):/;

export function isCallable({ verdict }: AccessDecision): boolean {
  return verdict === 'allow' || verdict === 'read_only';
}
