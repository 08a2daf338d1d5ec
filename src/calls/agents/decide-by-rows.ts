import type { ToolAction } from '#core/auth/access-effects.ts';
import type { AgentRow } from '#core/auth/agent-row.ts';
import type { AccessDecision } from '#core/auth/decision.ts';
import { callsOthers, innerToolsOf, MAX_INNER_DEPTH, nameAtServer } from '#core/hub/inner-tools.ts';
import { isStatedReading } from '#core/hub/stated-reading.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { asksModels, type Tool } from '#core/tools/tool.ts';
import type { CompiledRow } from './agent-rows.ts';
import { matchesArguments } from './match-arguments.ts';
import { actionOf, runsCode } from './tool-action.ts';

type Args = Readonly<Record<string, unknown>>;
export interface AgentTool extends Pick<
  Tool,
  'name' | 'origin' | 'annotations' | 'pool' | 'previewAsk' | 'reaches'
> {
  /** Set for a prompt or a resource, which is only read, whatever its name. */
  readonly isContent?: true;
}

export interface AgentOfClient {
  readonly agent: string;
  readonly client: string;
  /** Undefined for an agent that is not known. */
  readonly rows: readonly CompiledRow[] | undefined;
}

/** What a row is compared with. */
interface Target {
  readonly server: string;
  readonly tool: string;
  readonly does: ToolAction;
  readonly asksModels: boolean;
}

/** The server of the built-in tools. */
const OWN_SERVER = 'exai';
const MAX_SHOWN_CHARS = 200;
/** Of a batch, in explanations and in the audit. */
const MAX_REASONS = 32;

/**
 * What its rows permit an agent to do with a tool: `deny` wins, then the widest permission; what no
 * row matches is denied. Without arguments it says what some call of the tool could be permitted.
 */
export function decideByRows(about: AgentOfClient, tool: AgentTool, args?: Args): AccessDecision {
  const { agent, rows } = about;
  if (!rows) return { verdict: 'deny', reasons: [reason('agent_unknown', { agent })] };
  if (!tool.isContent && callsOthers(tool)) return decideInner(about, tool, args, 1);
  const target = targetOf(tool);
  return decideTarget(about, target, tool.reaches !== undefined, args);
}

function targetOf(tool: AgentTool): Target {
  const { name, origin } = tool;
  const does = tool.isContent ? 'reads' : actionOf(tool);
  if (!origin) return { server: OWN_SERVER, tool: name, does, asksModels: asksModels(tool) };
  // Otherwise a foreign server could take the name that stands for the built-in tools.
  const server = origin.server === OWN_SERVER ? `${OWN_SERVER}.foreign` : origin.server;
  return { server, tool: origin.tool, does, asksModels: asksModels(tool) };
}

function decideTarget(
  { agent, client, rows = [] }: AgentOfClient,
  target: Target,
  isWrapper: boolean,
  args: Args | undefined,
): AccessDecision {
  const about = { agent, tool: shownTool(target) };
  const named = rows.filter((each) => each.matches({ ...target, client })).map(({ row }) => row);
  const dependsOnArguments = named.some((row) => row.args.length > 0);
  const matching = named.filter((row) => covers(row, target) && admits(row, args));
  const by = (...effects: readonly AgentRow['effect'][]) =>
    effects.flatMap((effect) => matching.find((row) => row.effect === effect) ?? [])[0];

  const denied = by('deny');
  if (denied) return verdict('deny', reason('agent_row_denies', { ...about, row: denied.text }));
  // Each tool that it finds or calls is decided as itself.
  if (isWrapper) return verdict('allow', reason('agent_needs_no_row', about));
  const allowed = by('allow');
  if (allowed) return verdict('allow', reason('agent_row_allows', { ...about, row: allowed.text }));
  const asks = by('ask');
  if (asks) return verdict('ask', reason('agent_row_asks', { ...about, row: asks.text }));
  const reads = by('read', 'free');
  if (!reads) return verdict('deny', reason('agent_no_row', about));
  const use = { ...about, row: reads.text };
  if (target.does !== 'reads') return verdict('deny', reason('agent_row_only_reads', use));
  if (reads.effect === 'free' && target.asksModels) {
    return verdict('deny', reason('agent_row_only_free', use));
  }
  return verdict('read_only', reason('agent_row_reads', use));

  function verdict(is: AccessDecision['verdict'], why: Reason): AccessDecision {
    return { verdict: is, reasons: [why], ...(dependsOnArguments && { dependsOnArguments }) };
  }
}

/** A name out of arguments may have anything in it. */
function shownTool({ server, tool }: Target): string {
  return oneLine(`${server}/${tool}`, MAX_SHOWN_CHARS);
}

/**
 * Whether a row is about what the tool does. A pattern permits running code only where it says so,
 * because `*` is written for the tools that one knows.
 */
function covers({ effect, does, tool }: AgentRow, target: Target): boolean {
  if (does !== undefined) return does === target.does;
  const isPattern = tool.includes('*');
  return effect === 'deny' || target.does !== 'runs_code' || !isPattern;
}

/** Without arguments, a row that permits some of them counts, and one that refuses some does not. */
function admits({ effect, args: patterns }: AgentRow, args: Args | undefined): boolean {
  if (patterns.length === 0) return true;
  if (args === undefined) return effect !== 'deny';
  return matchesArguments(patterns, args, effect === 'deny' ? 'any' : 'all');
}

/** A tool of another hub that calls tools: each of them is decided as itself. */
function decideInner(
  about: AgentOfClient,
  tool: AgentTool,
  args: Args | undefined,
  depth: number,
): AccessDecision {
  const { server = '' } = tool.origin ?? {};
  const target = targetOf(tool);
  const own = decideTarget(about, target, true, args);
  if (own.verdict === 'deny') return own;
  // Whether a call is permitted depends on the tools that it names.
  if (args === undefined) return { ...own, dependsOnArguments: true };
  const inner = innerToolsOf(tool, args);
  if (inner === 'unreadable' || depth > MAX_INNER_DEPTH) {
    return {
      verdict: 'deny',
      reasons: [reason('inner_tools_unreadable', { tool: shownTool(target) })],
    };
  }
  const decisions = inner.map((each) => {
    const called = innerTool(server, each.name);
    return callsOthers(called)
      ? decideInner(about, called, each.args, depth + 1)
      : decideTarget(about, targetOf(called), false, each.args);
  });
  const denied = decisions.find(({ verdict }) => verdict === 'deny');
  if (denied) return denied;
  const because = [own, ...decisions].flatMap(({ reasons }) => reasons);
  return { ...decisions.reduce(smaller, own), reasons: because.slice(0, MAX_REASONS) };
}

/** A tool of a server that is not in the registry, or not by this name: only its name is known. */
export function innerTool(server: string, name: string): AgentTool {
  const tool = nameAtServer(server, name);
  const readOnlyHint = !runsCode(server, tool) && isStatedReading(server, tool);
  const annotations = {
    readOnlyHint,
    destructiveHint: !readOnlyHint,
    idempotentHint: false,
    openWorldHint: true,
  };
  return { name, origin: { server, tool }, annotations };
}

const ORDER: readonly AccessDecision['verdict'][] = ['deny', 'ask', 'read_only', 'allow'];

/** The decision that permits less; of two equal ones the first. */
export function smaller(one: AccessDecision, other: AccessDecision): AccessDecision {
  return ORDER.indexOf(other.verdict) < ORDER.indexOf(one.verdict) ? other : one;
}
