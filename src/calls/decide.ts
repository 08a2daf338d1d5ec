import { asksModels } from '#core/asks-models.ts';
import type { Caller } from '#core/call.ts';
import { clientNameOf } from '#core/client-name.ts';
import type { Decision } from '#core/decision.ts';
import type { Tool } from '#core/tool.ts';
import { matchesScope, parseScope, type Scope } from './scope.ts';

const ALLOW_ALL: Decision = { verdict: 'allow', because: ['The scope "*" covers every tool.'] };

/** What a caller may do with a tool: refusals first, then the widest permission; what no scope names is refused. */
export function decide(
  { principal, agent, scopes }: Caller,
  tool: Pick<Tool, 'name' | 'tier' | 'annotations' | 'lane' | 'wouldAsk'>,
): Decision {
  if (scopes.length === 1 && scopes[0] === '*') return ALLOW_ALL;
  const client = clientNameOf(principal);
  const who = agent === undefined ? client : `${agent} of ${client}`;
  const unclear: string[] = [];
  const matching: Scope[] = [];
  for (const text of scopes) {
    const scope = parseScope(text);
    if (!scope) unclear.push(`The scope ${JSON.stringify(text)} is not one, so it allows nothing.`);
    else if (matchesScope(scope, tool)) matching.push(scope);
  }
  const by = (effect: Scope['effect']) => matching.find((scope) => scope.effect === effect);

  const denied = by('deny');
  if (denied) return verdict('deny', `The scope "${denied.text}" of ${who} refuses ${tool.name}.`);
  const allowed = by('allow');
  if (allowed)
    return verdict('allow', `The scope "${allowed.text}" of ${who} covers ${tool.name}.`);
  const asks = by('ask');
  if (asks)
    return verdict('ask', `The scope "${asks.text}" of ${who} wants a yes for ${tool.name}.`);
  const reads = by('read') ?? by('free');
  if (!reads) return verdict('deny', `No scope of ${who} names ${tool.name}.`);
  const scope = `The scope "${reads.text}" of ${who}`;
  if (!tool.annotations.readOnlyHint) {
    return verdict('deny', `${scope} is for reading, and ${tool.name} changes things.`);
  }
  if (reads.effect === 'free' && asksModels(tool)) {
    return verdict(
      'deny',
      `${scope} is for tools that cost nothing, and ${tool.name} asks models.`,
    );
  }
  return verdict('read_only', `${scope} lets ${tool.name} read.`);

  function verdict(is: Decision['verdict'], why: string): Decision {
    return { verdict: is, because: [...unclear, why] };
  }
}

export function isCallable({ verdict }: Decision): boolean {
  return verdict === 'allow' || verdict === 'read_only';
}
