import { expect, test } from 'vitest';
import { parseAgentRow } from './agent-row.ts';
import { DEFAULT_AGENT_ROWS } from './default-agents.ts';

test.each([
  ['github/get_*', { effect: 'allow', server: 'github', tool: 'get_*', args: [] }],
  ['read:*/* does=reads', { effect: 'read', server: '*', tool: '*', does: 'reads', args: [] }],
  [
    'ask:mail/send client=ci args.to=*@acme.example args.options.copy=false',
    {
      effect: 'ask',
      server: 'mail',
      tool: 'send',
      client: 'ci',
      args: [
        ['to', '*@acme.example'],
        ['options.copy', 'false'],
      ],
    },
  ],
])('%j is a row', (text, row) => {
  expect(parseAgentRow(text)).toEqual({ ...row, text });
});

test.each([
  '',
  'chat',
  '/chat',
  'exai/',
  'grant:exai/chat',
  'exai /chat',
  'exai/chat ',
  'exai/chat  does=reads',
  'exai/chat does=writes',
  'exai/chat does=reads does=changes',
  'exai/chat client=a client=b',
  'exai/chat args=x',
  'exai/chat args.=x',
  'exai/chat to=x',
  'exai/chat\n',
  `exai/${'x'.repeat(129)}`,
  `exai/chat${' args.a=b'.repeat(17)}`,
])('%j is no row', (text) => {
  expect(parseAgentRow(text)).toBeUndefined();
});

test('every default row is one', () => {
  const rows = Object.values(DEFAULT_AGENT_ROWS).flat();
  expect(rows.filter((row) => !parseAgentRow(row))).toEqual([]);
});
