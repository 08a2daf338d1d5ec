import { asksModels } from '#core/asks-models.ts';
import type { Caller } from '#core/call.ts';
import { clientNameOf } from '#core/client-name.ts';
import type { Decision } from '#core/decision.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Tool } from '#core/tool.ts';
import { matchesScope, parseScope, type Scope } from './scope.ts';

const ALLOW_ALL: Decision = { verdict: 'allow', reasons: [reason('scope_covers_all')] };

/** What a caller may do with a tool: refusals first, then the widest permission; what no scope names is refused. */
export function decide(
  { principal, agent, scopes }: Caller,
  tool: Pick<Tool, 'name' | 'tier' | 'annotations' | 'lane' | 'wouldAsk'>,
): Decision {
  if (scopes.length === 1 && scopes[0] === '*') return ALLOW_ALL;
  const client = clientNameOf(principal);
  const unclear: Reason[] = [];
  const matching: Scope[] = [];
  for (const text of scopes) {
    const scope = parseScope(text);
    if (!scope) unclear.push(reason('scope_invalid', { scope: text }));
    else if (matchesScope(scope, tool)) matching.push(scope);
  }
  const by = (effect: Scope['effect']) => matching.find((scope) => scope.effect === effect);
  const caller = { client, ...(agent !== undefined && { agent }), tool: tool.name };
  const use = ({ text }: Scope) => ({ scope: text, ...caller });

  const denied = by('deny');
  if (denied) return verdict('deny', reason('scope_denies', use(denied)));
  const allowed = by('allow');
  if (allowed) return verdict('allow', reason('scope_allows', use(allowed)));
  const asks = by('ask');
  if (asks) return verdict('ask', reason('scope_asks', use(asks)));
  const reads = by('read') ?? by('free');
  if (!reads) return verdict('deny', reason('no_scope', caller));
  if (!tool.annotations.readOnlyHint) {
    return verdict('deny', reason('scope_only_reads', use(reads)));
  }
  if (reads.effect === 'free' && asksModels(tool)) {
    return verdict('deny', reason('scope_only_free', use(reads)));
  }
  return verdict('read_only', reason('scope_reads', use(reads)));

  function verdict(is: Decision['verdict'], why: Reason): Decision {
    return { verdict: is, reasons: [...unclear, why] };
  }
}

export function isCallable({ verdict }: Decision): boolean {
  return verdict === 'allow' || verdict === 'read_only';
}
