import { expect } from 'vitest';
import type { Tool } from '#core/tool.ts';
import { unread } from './asking/given-files.ts';
import { ExplanationShape } from './reporting/explanation.ts';
import { chat, EXPLANATION, setUp } from './reporting/route.fixture.ts';
import { verifies } from '../../test/verifies.ts';

const bare = { ...chat, parse: () => ({}) };
const quiet: Tool = {
  ...bare,
  name: 'quiet',
  wouldAsk: () => ({ asksNobody: 'confidence is certain' }),
};
const QUESTION = { messages: [{ role: 'user', content: 'Why?' }] } as const;
const panel: Tool = {
  ...bare,
  name: 'panel',
  wouldAsk: () => ({
    asksEach: [
      { ...QUESTION, model: 'kimi-k3', fallback: 'none' },
      { ...QUESTION, model: 'glm-5.3', fallback: 'none' },
    ],
  }),
};
const named: Tool = {
  ...bare,
  name: 'named',
  wouldAsk: () => ({ ...QUESTION, files: ['a.ts', 'b.ts'].map(unread) }),
};

verifies(
  'route:explain',
  'arguments with which a tool asks nobody are told so, and why',
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

verifies('route:explain', 'files that are only named are said not to be read', async () => {
  const { plan: _, ...rest } = EXPLANATION;
  const notice = '2 files are only named: an explanation reads none, ';
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
