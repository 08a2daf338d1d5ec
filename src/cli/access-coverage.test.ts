import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { coverageWords, limitWords } from './access-coverage.ts';

const NONE = { free: [], paid: [], changing: [], asking: [] };

verifies('security:free-scope', 'what a scope covers is told with what it costs', () => {
  const many = Array.from({ length: 10 }, (_, at) => `t${at}`);
  expect(coverageWords('ci', { ...NONE, free: ['a', 'b'], paid: ['chat'], changing: many })).toBe(
    'ci may call 13 tools: 2 only read and cost nothing; 1 asks models and spends money (chat); ' +
      '10 change things (t0, t1, t2, t3, t4, t5, t6, t7 and 2 more).',
  );
  expect(coverageWords('ci', { ...NONE, free: ['a'] })).toBe(
    'ci may call 1 tool: 1 only reads and costs nothing.',
  );
  expect(coverageWords('ci', NONE)).toBe('ci may call no tool that is there now.');
});

verifies(
  'security:free-scope',
  'what a scope does not protect from is told where it matters',
  () => {
    expect(limitWords('ci', { ...NONE, free: ['a'] })).toEqual([]);
    const [money, consent] = limitWords('ci', { ...NONE, paid: ['chat'], asking: ['chat'] });
    expect(money).toContain('ci=USD in budget.clients');
    expect(consent).toContain('without showing its user');
  },
);
