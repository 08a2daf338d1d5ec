import type { Caller } from '#core/call.ts';
import type { Decision } from '#core/decision.ts';
import type { Tool } from '#core/tool.ts';
import { matchesScope, parseScope, type Scope } from './scope.ts';

const ALLOW_ALL: Decision = { verdict: 'allow', because: ['The scope "*" covers every tool.'] };

/** What a caller may do with a tool: refusals first, then the widest permission; what no scope names is refused. */
export function decide(
  { principal, agent, scopes }: Caller,
  tool: Pick<Tool, 'name' | 'tier' | 'annotations'>,
): Decision {
  if (scopes.length === 1 && scopes[0] === '*') return ALLOW_ALL;
  const who = agent === undefined ? principal : `${agent} of ${principal}`;
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
  const reads = by('read');
  if (!reads) return verdict('deny', `No scope of ${who} names ${tool.name}.`);
  return tool.annotations.readOnlyHint
    ? verdict('read_only', `The scope "${reads.text}" of ${who} lets ${tool.name} read.`)
    : verdict(
        'deny',
        `The scope "${reads.text}" of ${who} is for reading, and ${tool.name} changes things.`,
      );

  function verdict(is: Decision['verdict'], why: string): Decision {
    return { verdict: is, because: [...unclear, why] };
  }
}

export function isCallable({ verdict }: Decision): boolean {
  return verdict === 'allow' || verdict === 'read_only';
}
