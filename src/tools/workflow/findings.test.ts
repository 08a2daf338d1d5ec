import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeFindings, SEVERITIES, type Finding } from './findings.ts';

const FOUND: Finding = { severity: 'low', description: 'The lock is never released.' };

test('a repeated finding fills in missing details', () => {
  const again: Finding = {
    severity: 'high',
    description: 'the  lock is never released',
    file: 'a.ts',
    line: 3,
    fix: 'Release it.',
  };
  expect(mergeFindings([FOUND], [again])).toEqual([
    { ...again, description: FOUND.description, from: 'investigator' },
  ]);
  expect(mergeFindings([again], [FOUND])).toEqual([{ ...again, from: 'investigator' }]);
});

test('the same at two places is two, also where the first named no place', () => {
  const at = (file: string, line: number): Finding => ({ ...FOUND, file, line });
  expect(mergeFindings([FOUND], [at('a.ts', 1), at('b.ts', 1), at('a.ts', 2)])).toEqual([
    { ...at('a.ts', 1), from: 'investigator' },
    { ...at('b.ts', 1), from: 'expert' },
    { ...at('a.ts', 2), from: 'expert' },
  ]);
});

test('the worst come first, else in the order in which they were found', () => {
  const all = (['low', 'critical', 'medium', 'critical'] as const).map((severity, index) => ({
    severity,
    description: `${index}`,
  }));
  expect(mergeFindings(all.slice(0, 2), all.slice(2)).map((each) => each.description)).toEqual([
    '1',
    '3',
    '2',
    '0',
  ]);
});

test('nothing is lost and nothing is there twice', () => {
  const finding = fc.record(
    {
      severity: fc.constantFrom(...SEVERITIES),
      description: fc.constantFrom('a', 'b', 'A!', 'c'),
      file: fc.constantFrom('x', 'y'),
      line: fc.integer({ min: 1, max: 2 }),
    },
    { requiredKeys: ['severity', 'description'] },
  );
  const list = fc.array(finding, { maxLength: 12 });
  fc.assert(
    fc.property(list, list, (ours, theirs) => {
      const merged = mergeFindings(ours as Finding[], theirs as Finding[]);
      const words = (text: string) => text.replace('!', '').toLowerCase();
      for (const each of [...ours, ...theirs]) {
        const at = merged.filter(
          (found) =>
            words(found.description) === words(each.description) &&
            (each.file === undefined || found.file === undefined || found.file === each.file),
        );
        expect(at.length).toBeGreaterThan(0);
      }
      const exact = merged.map((found) =>
        JSON.stringify([words(found.description), found.file, found.file && found.line]),
      );
      expect(new Set(exact).size).toBe(exact.length);
      // Merging twice changes nothing.
      expect(mergeFindings(merged, merged)).toHaveLength(merged.length);
    }),
  );
});

test('twenty thousand of one description are no trouble', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({ ...FOUND, file: `${index}.ts` }));
  expect(mergeFindings(many, many)).toHaveLength(20_000);
});
