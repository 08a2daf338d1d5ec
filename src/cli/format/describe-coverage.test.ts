import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { describeCoverage, describeScopeLimits } from './describe-coverage.ts';

const NONE = { free: [], paid: [], changing: [], asking: [] };

verifies('security:free-scope', 'the coverage of a scope is described with what it costs', () => {
  const many = Array.from({ length: 10 }, (_, at) => `t${at}`);
  expect(
    describeCoverage('ci', { ...NONE, free: ['a', 'b'], paid: ['chat'], changing: many }),
  ).toBe(
    'ci may call 13 tools: 2 only read and cost nothing; 1 asks models and spends money (chat); ' +
      '10 change things (t0, t1, t2, t3, t4, t5, t6, t7 and 2 more).',
  );
  expect(describeCoverage('ci', { ...NONE, free: ['a'] })).toBe(
    'ci may call 1 tool: 1 only reads and costs nothing.',
  );
  expect(describeCoverage('ci', NONE)).toBe('ci may call no tool that is there now.');
});

verifies(
  'security:free-scope',
  'what a scope does not protect from is told where it matters',
  () => {
    expect(describeScopeLimits('ci', { ...NONE, free: ['a'] })).toEqual([]);
    const [money, consent] = describeScopeLimits('ci', {
      ...NONE,
      paid: ['chat'],
      asking: ['chat'],
    });
    expect(money).toContain('ci=USD in budget.clients');
    expect(consent).toContain('without showing its user');
  },
);
