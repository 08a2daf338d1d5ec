import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import type { AccessDecision } from '#core/auth/decision.ts';
import { reason } from '#core/messages/reasons.ts';
import { OWNER, probeTool } from './calls.fixture.ts';
import { isCallable } from './access.ts';
import { decideByScopes, parseScope } from './scopes.ts';

const reading = probeTool({ name: 'status', tier: 'user', effect: 'reads' }).tool;
const changing = probeTool({ name: 'kimi_upload', tier: 'backend', effect: 'changes' }).tool;

const CASES: [
  scopes: string[],
  reading: AccessDecision['verdict'],
  changing: AccessDecision['verdict'],
][] = [
  [['*'], 'allow', 'allow'],
  [[], 'deny', 'deny'],
  [['status'], 'allow', 'deny'],
  [['allow:kimi_*'], 'deny', 'allow'],
  [['read:*'], 'read_only', 'deny'],
  [['read:kimi_*'], 'deny', 'deny'],
  [['@backend'], 'deny', 'allow'],
  [['read:@user'], 'read_only', 'deny'],
  [['*', 'deny:@backend'], 'allow', 'deny'],
  [['deny:*', '*'], 'deny', 'deny'],
  [['ask:*'], 'ask', 'ask'],
  [['ask:*', 'status'], 'allow', 'ask'],
  [['ask:*', 'deny:kimi_upload'], 'ask', 'deny'],
  [['read:*', 'kimi_*'], 'read_only', 'allow'],
  [['free:*'], 'read_only', 'deny'],
  [['free:kimi_*'], 'deny', 'deny'],
  // What is no scope allows nothing, and takes nothing away.
  [['STATUS'], 'deny', 'deny'],
  [['write:*'], 'deny', 'deny'],
  [['@everyone'], 'deny', 'deny'],
  [['* '], 'deny', 'deny'],
  [['', 'status'], 'allow', 'deny'],
  [['__proto__', 'constructor'], 'deny', 'deny'],
];

describe('a caller with the scopes', () => {
  test.each(CASES)('%j may %s what reads and %s what changes', (scopes, reads, changes) => {
    const caller = { ...OWNER, scopes };
    expect(decideByScopes(caller, reading).verdict).toBe(reads);
    expect(decideByScopes(caller, changing).verdict).toBe(changes);
  });
});

verifies('security:free-scope', 'what asks models is covered by read: and not by free:', () => {
  const asking = probeTool({ name: 'chat', effect: 'reads', pool: 'provider' }).tool;
  const verdictOf = (...scopes: string[]) => decideByScopes({ ...OWNER, scopes }, asking).verdict;
  expect(verdictOf('free:*')).toBe('deny');
  expect(verdictOf('read:*')).toBe('read_only');
  expect(verdictOf('free:*', 'read:chat')).toBe('read_only');
  expect(verdictOf('free:*', 'chat')).toBe('allow');
  expect(verdictOf('free:*', 'ask:chat')).toBe('ask');
});

verifies('access:decide', 'a decision says why, in the words of the scope that made it', () => {
  const caller = { ...OWNER, principal: 'ide', agent: 'critic', scopes: ['re ad', 'read:*'] };
  expect(decideByScopes(caller, changing)).toEqual({
    verdict: 'deny',
    reasons: [
      reason('scope_invalid', { scope: 're ad' }),
      reason('scope_only_reads', {
        scope: 'read:*',
        client: 'ide',
        agent: 'critic',
        tool: 'kimi_upload',
      }),
    ],
  });
  expect(decideByScopes({ ...OWNER, principal: 'ide', scopes: [] }, reading).reasons).toEqual([
    reason('no_scope', { client: 'ide', tool: 'status' }),
  ]);
});

verifies(
  'access:decide',
  'a tool of a server whose name is shortened is denied by its name in full',
  () => {
    const origin = { server: 'workspace__of__everyone', tool: 'delete_every_document_for_good' };
    const tool = { ...changing, name: 'mcp__workspace_of_every__delete_every_do__0a1b2c', origin };
    const inFull = `mcp__${origin.server}__${origin.tool}`;
    const verdictOf = (...scopes: readonly string[]) =>
      decideByScopes({ ...OWNER, scopes }, tool).verdict;
    expect(verdictOf('allow:*', `deny:${inFull}`)).toBe('deny');
    expect(verdictOf('allow:*', 'deny:mcp__workspace__*')).toBe('deny');
    expect(verdictOf('allow:*', 'deny:mcp__other__*')).toBe('allow');
    expect(verdictOf(`allow:${inFull}`)).toBe('deny');
    expect(verdictOf(`allow:${tool.name}`)).toBe('allow');
  },
);

verifies('access:decide', 'only allow and read_only let a call run', () => {
  const verdicts = ['allow', 'read_only', 'ask', 'deny'] as const;
  expect(verdicts.filter((verdict) => isCallable({ verdict, reasons: [] }))).toEqual([
    'allow',
    'read_only',
  ]);
});

test.each([
  ['chat', { effect: 'allow', pattern: 'chat' }],
  ['read:glm_*', { effect: 'read', pattern: 'glm_*' }],
  ['deny:@manager', { effect: 'deny', pattern: '@manager' }],
])('the scope %j is read', (text, expected) => {
  expect(parseScope(text)).toEqual({ ...expected, text });
});

test.each(['', ' ', 'a b', 'read:', 'grant:*', '@', '@root', 'a\nb', 'x'.repeat(129), '*\n'])(
  '%j is no scope',
  (text) => {
    expect(parseScope(text)).toBeUndefined();
  },
);
