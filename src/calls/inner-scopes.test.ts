import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { OWNER, probeTool } from './calls.fixture.ts';
import { decideCallByScopes } from './inner-scopes.ts';

const BATCH = 'COMPOSIO_MULTI_EXECUTE_TOOL';
const batch = {
  ...probeTool({ name: `mcp__composio__${BATCH}`, effect: 'changes' }).tool,
  origin: { server: 'composio', tool: BATCH },
};
const MAIL = 'GMAIL_SEND_EMAIL';
const SEARCH = 'COMPOSIO_SEARCH_WEB';

function verdictOf(scopes: readonly string[], args?: Readonly<Record<string, unknown>>) {
  return decideCallByScopes({ ...OWNER, principal: 'ci', scopes }, batch, args);
}

const calling = (...slugs: string[]) => ({ tools: slugs.map((slug) => ({ tool_slug: slug })) });

verifies(
  'access:inner',
  'a tool that a client is refused is refused in a batch of its server, too, however it is spelt',
  () => {
    const scopes = ['*', `deny:mcp__composio__GMAIL_*`];
    for (const slug of [MAIL, MAIL.toLowerCase(), 'gmail-send-email', `mcp__composio__${MAIL}`]) {
      for (const args of [
        calling(slug),
        calling(SEARCH, slug),
        { tools: [{ tool_slug: BATCH, arguments: calling(slug) }] },
      ]) {
        expect(verdictOf(scopes, args)).toMatchObject({
          verdict: 'deny',
          reasons: [{ code: 'scope_denies' }],
        });
      }
    }
    expect(verdictOf(scopes, calling(SEARCH)).verdict).toBe('allow');
  },
);

test.each([
  [[`mcp__composio__${BATCH}`], 'deny', 'deny'],
  [[`mcp__composio__${BATCH}`, `mcp__composio__${SEARCH}`], 'allow', 'deny'],
  [['mcp__composio__*'], 'allow', 'allow'],
  [['*', 'ask:mcp__composio__*'], 'allow', 'allow'],
  [['mcp__composio__COMPOSIO_*', 'ask:mcp__composio__GMAIL_*'], 'allow', 'ask'],
  [['*'], 'allow', 'allow'],
] as const)(
  'the scopes %j: %s a batch that searches, %s one that mails',
  (scopes, search, mail) => {
    expect(verdictOf(scopes, calling(SEARCH)).verdict).toBe(search);
    expect(verdictOf(scopes, calling(SEARCH, MAIL)).verdict).toBe(mail);
  },
);

test('what a batch calls must be readable, unless the client may use every tool', () => {
  const unclear = { tools: [{ action: MAIL }] };
  expect(verdictOf(['*', 'deny:chat'], unclear)).toMatchObject({
    verdict: 'deny',
    reasons: [{ code: 'inner_tools_unreadable' }],
  });
  expect(verdictOf(['*'], unclear).verdict).toBe('allow');
  expect(verdictOf(['*', 'deny:chat'])).toMatchObject({
    verdict: 'allow',
    dependsOnArguments: true,
  });
});
