import { expect, test } from 'vitest';
import { formatThreadMarkdown } from './thread-markdown.ts';

const thread = {
  id: 'conv_1',
  title: 'A title',
  turns: 2,
  parent_id: 'conv_0',
  created: '2026-01-31T08:05:09.000Z',
  updated: '2026-01-31T08:06:00.000Z',
};

test('a conversation is written with speakers, times and files', () => {
  const turns = [
    {
      turn: 1,
      role: 'user',
      tool: 'chat',
      at: thread.created,
      files: ['a.ts', 'odd `name`\n.ts'],
      text: '# As written\n',
    },
    { turn: 2, role: 'assistant', tool: 'chat', at: 'soon', text: 'Yes.', left_out: 5 },
    { turn: 3, role: 'assistant', tool: 'debug', model: 'm', at: 'x', text: '' },
    { turn: 4, role: 'assistant', tool: 'debug', model: 'm', provider: 'p', at: 'x', text: 'No.' },
  ] as const;
  expect(formatThreadMarkdown({ thread, turns }, 'Australia/Melbourne')).toBe(
    [
      '# A title',
      '',
      '`conv_1`, 2 turns, begun 2026-01-31 19:05:09 AEDT, last 2026-01-31 19:06:00 AEDT, forked from `conv_0`',
      '',
      '## 1. You, chat, 2026-01-31 19:05:09 AEDT',
      '',
      '# As written',
      '',
      '',
      'Files:',
      '',
      '- `a.ts`',
      '- `` odd `name` .ts ``',
      '',
      '## 2. Answer, chat, soon',
      '',
      'Yes.',
      '',
      '*5 more characters are left out here.*',
      '',
      '## 3. m, debug, x',
      '',
      '',
      '',
      '## 4. m (p), debug, x',
      '',
      'No.',
      '',
    ].join('\n'),
  );
});
