import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { createReport } from './report.ts';

const problem = (n: number) => ({ field: `f${n}`, message: `Fault ${n}.`, fixes: ['Correct it.'] });

test('one problem is its own message, several are a list', () => {
  const report = createReport();
  expect(report.refusal()).toBeUndefined();
  report.problem(() => problem(1));
  expect(report.refusal()).toMatchObject({
    message: 'Fault 1.',
    field: 'f1',
    fix: 'Correct it.',
  });
  report.problem(() => problem(2));
  expect(report.refusal()?.message).toBe('The configuration has 2 faults:\n- Fault 1.\n- Fault 2.');
});

test('of thousands of problems, twenty are formatted and the others counted', () => {
  const report = createReport();
  let described = 0;
  for (let n = 1; n <= 20_000; n++) {
    report.problem(() => {
      described++;
      return problem(n);
    });
    report.notice(() => notice('text', { text: `Notice ${n}.` }));
  }
  const lines = report.refusal()?.message.split('\n') ?? [];
  expect(lines).toHaveLength(22);
  expect(lines[0]).toBe('The configuration has 20,000 faults:');
  expect(lines.at(-1)).toBe('… and 19,980 more');
  expect(report.notices.slice(-2)).toEqual([
    notice('text', { text: 'Notice 20.' }),
    notice('notices_cut', { count: 19_980 }),
  ]);
  expect(described).toBe(20);
});
