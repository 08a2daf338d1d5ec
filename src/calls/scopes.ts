import { ACCESS_EFFECTS, type AccessEffect } from '#core/auth/access-effects.ts';
import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import type { AccessDecision } from '#core/auth/decision.ts';
import type { Caller } from '#core/calls/call.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { asksModels, TIERS, type Tier, type Tool } from '#core/tools/tool.ts';

/**
 * One access rule of a client, written `[effect:]pattern`: `*`, `read:*`, `free:*`, `kimi_*`,
 * `deny:@backend`. A pattern is a tool's name with `*` for any characters, or `@` and a tier.
 */
interface Scope {
  readonly effect: AccessEffect;
  readonly pattern: string;
  readonly text: string;
}

const SHAPE = new RegExp(
  `^(?:(${ACCESS_EFFECTS.join('|')}):)?(@(?:${TIERS.join('|')})|[A-Za-z0-9_.*-]{1,128})$`,
);

/** Undefined for an invalid scope, which then allows nothing. */
export function parseScope(text: string): Scope | undefined {
  const [, effect = 'allow', pattern] = SHAPE.exec(text) ?? [];
  if (pattern === undefined) return undefined;
  return { effect: effect as AccessEffect, pattern, text };
}

export function matchesScope(
  { effect, pattern }: Scope,
  { name, origin, tier }: Pick<Tool, 'name' | 'origin' | 'tier'>,
): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('@')) return tier === (pattern.slice(1) as Tier);
  if (matchesWildcard(name, pattern)) return true;
  // Long names of tools of servers are shortened. A name in full denies, too; it does not permit,
  // because tools of two servers may have one name in full.
  if (effect !== 'deny' || !origin) return false;
  return matchesWildcard(`mcp__${origin.server}__${origin.tool}`, pattern);
}

const ALLOW_ALL: AccessDecision = { verdict: 'allow', reasons: [reason('scope_covers_all')] };

export type ScopedTool = Pick<
  Tool,
  'name' | 'origin' | 'tier' | 'annotations' | 'pool' | 'previewAsk' | 'reaches'
>;

/**
 * What the scopes of a caller permit it to do with a tool: `deny` wins, then the widest permission.
 * Without a matching scope it is denied.
 */
export function decideByScopes(
  { principal, agent, scopes }: Caller,
  tool: ScopedTool,
): AccessDecision {
  if (scopes.length === 1 && scopes[0] === '*') return ALLOW_ALL;
  const client = clientNameOfPrincipal(principal);
  const unclear: Reason[] = [];
  const matching: Scope[] = [];
  for (const text of scopes) {
    const scope = parseScope(text);
    if (!scope) unclear.push(reason('scope_invalid', { scope: text }));
    else if (matchesScope(scope, tool)) matching.push(scope);
  }
  const by = (effect: AccessEffect) => matching.find((scope) => scope.effect === effect);
  const caller = { client, ...(agent !== undefined && { agent }), tool: tool.name };
  const use = ({ text }: Scope) => ({ scope: text, ...caller });

  const denied = by('deny');
  if (denied) return verdict('deny', reason('scope_denies', use(denied)));
  if (tool.reaches) return verdict('allow', reason('needs_no_scope', caller));
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

  function verdict(is: AccessDecision['verdict'], why: Reason): AccessDecision {
    return { verdict: is, reasons: [...unclear, why] };
  }
}
