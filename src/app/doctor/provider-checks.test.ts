import { expect, test } from 'vitest';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { accountCheck, restingAccounts } from './provider-checks.ts';

const health = (breakers: unknown) => ({ ...withEnvelope({ content: { breakers } }) });

test('accounts with open breakers are found, and models are not', () => {
  const breakers = [
    { key: 'kimi', state: 'open' },
    { key: 'glm', state: 'closed' },
    { key: 'openrouter', state: 'half_open' },
    { key: 'glm/glm-5.3', state: 'open' },
  ];
  expect(restingAccounts(health(breakers))).toEqual(['kimi', 'openrouter']);
});

test.each([
  health(undefined),
  { ...withEnvelope({ content: null }) },
  { ...withEnvelope({ status: 'error' }) },
  {},
])('without known breakers no account is reported: %j', (result) => {
  expect(restingAccounts(result)).toEqual([]);
});

test.each([
  [undefined, 'Kimi refused the key', /^exai keys test kimi$/],
  ['billing', 'Kimi wanted payment', /^Top it up .*exai keys test kimi$/],
  ['quota', 'Kimi had no allowance left', /^Top it up .*exai keys test kimi$/],
] as const)('%s gives a warning with the fix', (lacks, detail, fix) => {
  expect(accountCheck({ name: 'kimi', title: 'Kimi' }, lacks)).toEqual({
    id: 'account_kimi',
    title: 'Account',
    status: 'warn',
    detail: expect.stringContaining(detail) as string,
    fix: expect.stringMatching(fix) as string,
  });
});
