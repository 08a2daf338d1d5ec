import type { AccessDecision } from '#core/auth/decision.ts';
import type { Caller } from '#core/calls/call.ts';
import {
  callsOthers,
  foldToolName,
  namesOfInnerTools,
  nameAtServer,
} from '#core/hub/inner-tools.ts';
import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { innerTool, smaller, type AgentTool } from './agents/decide-by-rows.ts';
import { decideByScopes, parseScope, type ScopedTool } from './scopes.ts';

type Args = Readonly<Record<string, unknown>>;

const MAX_SHOWN_CHARS = 128;
/** Of a batch, in explanations and in the audit. */
const MAX_REASONS = 32;

/**
 * What the scopes of a caller permit it to do with a call: where the tool of a server calls others,
 * each of them is decided as itself. Without arguments it says what some call could be permitted.
 */
export function decideCallByScopes(
  caller: Caller,
  tool: ScopedTool & Pick<AgentTool, 'isContent'>,
  args?: Args,
): AccessDecision {
  const own = decideByScopes(caller, tool);
  const { origin, name } = tool;
  const isFinal = own.verdict === 'deny' || tool.isContent === true || coversAll(caller);
  if (isFinal || !origin || !callsOthers(tool)) return own;
  if (args === undefined) return { ...own, dependsOnArguments: true };
  const names = namesOfInnerTools(tool, args);
  if (names === 'unreadable') {
    return { verdict: 'deny', reasons: [reason('inner_tools_unreadable', { tool: name })] };
  }
  const decisions = names.map((each) => decideInner(caller, origin.server, each));
  const denied = decisions.find(({ verdict }) => verdict === 'deny');
  if (denied) return denied;
  const because = [own, ...decisions].flatMap(({ reasons }) => reasons);
  return { ...decisions.reduce(smaller, own), reasons: because.slice(0, MAX_REASONS) };
}

function coversAll({ scopes }: Caller): boolean {
  return scopes.length === 1 && scopes[0] === '*';
}

/**
 * A name that is spelt differently is another tool for what is permitted, and the same tool for what
 * is refused.
 */
function decideInner(caller: Caller, server: string, given: string): AccessDecision {
  const called = innerTool(server, nameAtServer(server, given));
  const tool = oneLine(`mcp__${server}__${called.origin?.tool ?? ''}`, MAX_SHOWN_CHARS);
  const folded = foldToolName(tool);
  const denying = caller.scopes.find((text) => {
    const { effect, pattern = '' } = parseScope(text) ?? {};
    return effect === 'deny' && matchesWildcard(folded, foldToolName(pattern));
  });
  if (denying === undefined) return decideByScopes(caller, { ...called, name: tool, tier: 'user' });
  const { principal, agent } = caller;
  const client = clientNameOfPrincipal(principal);
  const use = { scope: denying, client, ...(agent !== undefined && { agent }), tool };
  return { verdict: 'deny', reasons: [reason('scope_denies', use)] };
}
