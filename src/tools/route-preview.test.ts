import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { FileStore } from '#core/stores/files.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import { unreadFile } from './shared/attachments.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { ExplanationShape } from './reporting/explanation.ts';
import { chat, EXPLANATION, setUp } from './reporting/route.fixture.ts';
import { intakeOver } from '../../test/intake-over.ts';
import { verifies } from '../../test/verifies.ts';

const bare = { ...chat, parse: () => ({}) };
const quiet: Tool = {
  ...bare,
  name: 'quiet',
  previewAsk: () => ({ noAskBecause: 'confidence is certain' }),
};
const QUESTION = { messages: [{ role: 'user', content: 'Why?' }] } as const;
const panel: Tool = {
  ...bare,
  name: 'panel',
  previewAsk: () => ({
    askMany: [
      { ...QUESTION, model: 'kimi-k3', fallback: 'none' },
      { ...QUESTION, model: 'glm-5.3', fallback: 'none' },
    ],
  }),
};
const named: Tool = {
  ...bare,
  name: 'named',
  previewAsk: () => ({ ...QUESTION, files: ['a.ts', 'b.ts'].map(unreadFile) }),
};

verifies(
  'route:explain',
  'for arguments with which a tool asks no model the error says why',
  async () => {
    const { run, explained } = setUp(EXPLANATION, [quiet]);
    await expect(run({ tool: 'quiet' })).rejects.toMatchObject({
      class: 'validation',
      field: 'args',
      message: 'quiet asks no model with these arguments: confidence is certain.',
    });
    expect(explained).toEqual([]);
  },
);

verifies('route:explain', 'of a panel all are named, and the first is explained', async () => {
  const facts = { ...EXPLANATION.facts, model: 'kimi-k3', fallback: 'none' } as const;
  const { run, explained } = setUp({ ...EXPLANATION, facts }, [panel]);
  const { text, content } = await run({ tool: 'panel' });
  expect(explained.map(([{ model }]) => model)).toEqual(['kimi-k3']);
  expect(text).toContain('\nPanel: kimi-k3, glm-5.3; each is asked the same, alone');
  expect(text).not.toMatch(/Wishes: .*(the model|no fallback)/);
  expect(ExplanationShape.parse(content)).toMatchObject({ panel: ['kimi-k3', 'glm-5.3'] });
});

verifies('route:explain', 'of a panel without keys nothing is said of a fallback', async () => {
  const { plan: _, ...rest } = EXPLANATION;
  const why = reason('named_model_unable', {
    model: 'kimi-k3',
    fallback: 'none',
    reason: reason('no_key', { provider: 'kimi' }),
  });
  const error = codedError('not_configured', why, {
    fixes: [
      fix('omit_argument', { argument: 'fallback', value: 'none' }),
      fix('add_key', { provider: 'kimi' }),
    ],
  }).toJSON();
  const { text } = await setUp({ ...rest, error }, [panel]).run({ tool: 'panel' });
  expect(text).toContain('kimi-k3 cannot answer: it has no key: exai keys add kimi.\n');
  expect(text).toContain('fix: Add a key with: exai keys add kimi\n');
});

verifies('route:explain', 'files that are only named are said not to be read', async () => {
  const { plan: _, ...rest } = EXPLANATION;
  const notice = '2 files are only named: an explanation does not read ';
  for (const explanation of [EXPLANATION, rest]) {
    const { text, content } = await setUp(explanation, [named]).run({ tool: 'named' });
    expect(text).toContain(', 2 files not read for this (1 document), ');
    expect(text).toContain(`Notices:\n  - ${notice}`);
    expect(ExplanationShape.parse(content)).toMatchObject({
      facts: { files: { unread: 2 } },
      notices: [expect.stringContaining(notice)],
    });
  }
  const files = { ...EXPLANATION.facts.files, count: 3 };
  const some = setUp({ ...EXPLANATION, facts: { ...EXPLANATION.facts, files } }, [named]);
  const { text } = await some.run({ tool: 'named' });
  expect(text).toContain('3 files of 900 tokens, 2 of them not read for this');
});

describe('files of an explained request', () => {
  const files = {
    write: () => Promise.reject(new Error('It must store nothing.')),
  } as unknown as FileStore;
  const workspace: Pick<Workspace, 'read'> = {
    async read(paths, field) {
      const isKnown = paths.every((path) => path === 'notes.md');
      if (!isKnown) throw new CallError('not_found', 'There is no such file.', { field });
      return { texts: paths.map((name) => ({ name, text: '# Notes\n' })), notices: [] };
    },
  };
  const intake = intakeOver(workspace, files);
  const ask: Tool = {
    ...bare,
    name: 'ask',
    parse: (args) => ({ ...args }),
    previewAsk: readAskRequest,
  };
  const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64');

  verifies('route:explain', 'files are read to measure them, and nothing is stored', async () => {
    const { run, explained } = setUp(EXPLANATION, [ask], intake);
    const given = [
      'notes.md',
      { name: 'said.txt', text: 'Said.' },
      { filename: 'table.csv', content: Buffer.from('a,b\n1,2\n').toString('base64') },
      { filename: 'dot.png', content: PNG.toString('base64') },
      { file_id: 'kimi-1' },
    ];
    const args = {
      prompt: 'Why?',
      files: given,
      images: [{ filename: 'p.png', content: PNG.toString('base64') }],
    };
    const { text } = await run({ tool: 'ask', args });
    const [request] = explained[0] ?? [];
    expect(request?.files?.map(({ name, isUnread }) => [name, isUnread ?? false])).toEqual([
      ['notes.md', false],
      ['said.txt', false],
      ['table.csv', false],
      ['kimi-1', true],
    ]);
    expect(request?.files?.[0]?.text).toBe('# Notes\n');
    const picture = {
      type: 'image',
      source: { base64: PNG.toString('base64'), mediaType: 'image/png' },
    };
    // The same picture twice is one.
    expect(request?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Why?' }, picture] },
    ]);
    expect(text).toContain('1 file is only named');
  });

  test('a file that cannot be read is refused as the tool would refuse it', async () => {
    const { run, explained } = setUp(EXPLANATION, [ask], intake);
    const args = { prompt: 'Why?', files: ['gone.md'] };
    await expect(run({ tool: 'ask', args })).rejects.toMatchObject({
      class: 'not_found',
      field: 'args',
    });
    expect(explained).toEqual([]);
  });

  test('nothing is read for a tool that is only known to routing', async () => {
    const { run, explained } = setUp(EXPLANATION, []);
    await run({ tool: 'thinkdeep', args: { step: 'Think.', files: ['notes.md'] } });
    expect(explained[0]?.[0].files).toMatchObject([{ name: 'notes.md', isUnread: true }]);
  });
});
