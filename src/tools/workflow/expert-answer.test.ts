import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readExpertAnswer } from './expert-answer.ts';

const WHOLE = {
  summary: 'The lock is taken twice.',
  findings: [
    { severity: 'high', description: 'Deadlock', file: 'src/a.ts', line: 12, fix: 'Release it.' },
  ],
  next_steps: ['Release the lock.'],
};
const READ = {
  format: 'json',
  summary: WHOLE.summary,
  findings: WHOLE.findings,
  nextSteps: WHOLE.next_steps,
};
const JSON_TEXT = JSON.stringify(WHOLE, undefined, 2);

describe('an answer is understood', () => {
  test.each([
    ['alone', JSON_TEXT],
    ['in a fence', `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ['with words around', `Here you are:\n${JSON_TEXT}\nI hope that "helps".`],
    ['after braces in prose', `The block { and the object {a: 1} say so.\n${JSON_TEXT}`],
    ['after much code', `${'if (a) { b(); }\n'.repeat(500)}${JSON_TEXT}`],
    ['after another object', `For instance {"port": 1}.\n${JSON_TEXT}`],
    [
      'with commas that nothing follows',
      JSON_TEXT.replaceAll(/([\]}"])\n/g, '$1,\n').replace(/,\n$/, ''),
    ],
    ['inside an object of its own', JSON.stringify({ analysis: WHOLE })],
  ])('%s', (_, said) => {
    expect(readExpertAnswer(said)).toEqual(READ);
  });

  test('with line breaks inside its texts', () => {
    const said = '{"summary": "one\ntwo\tthree", "findings": []}';
    expect(readExpertAnswer(said)).toMatchObject({ format: 'json', summary: 'one\ntwo\tthree' });
  });

  test('as far as it goes, when it was cut', () => {
    const two = { ...WHOLE, findings: [...WHOLE.findings, { severity: 'low', description: 'x' }] };
    const said = JSON.stringify(two);
    const cut = said.slice(0, said.indexOf('"low"') + 2);
    expect(readExpertAnswer(cut)).toEqual({ ...READ, nextSteps: [] });
    expect(readExpertAnswer('{"summary": "All is well", "findings": [{"sev')).toMatchObject({
      format: 'json',
      summary: 'All is well',
    });
  });

  test('field by field: what is wrong is left out or mended', () => {
    const findings = [
      { severity: 'BLOCKER', title: 'a', path: 'b.ts:7', recommendation: 'c' },
      { severity: 'nonsense', description: 'd', file: 'C:\\e.ts', line: '10-12' },
      { severity: 'low', description: 'f', file: 5, line: -1, fix: {} },
      'a finding as text',
      { severity: 'high' },
      null,
      7,
    ];
    expect(readExpertAnswer(JSON.stringify({ summary: 9, findings, next_steps: 'one' }))).toEqual({
      format: 'json',
      summary: '',
      findings: [
        { severity: 'critical', description: 'a', file: 'b.ts', line: 7, fix: 'c' },
        { severity: 'medium', description: 'd', file: 'C:\\e.ts', line: 10 },
        { severity: 'low', description: 'f' },
        { severity: 'medium', description: 'a finding as text' },
      ],
      nextSteps: ['one'],
    });
  });

  test('prototype keys mean nothing', () => {
    const said = '{"__proto__": {"summary": "x"}, "constructor": {"findings": []}, "summary": "y"}';
    expect(readExpertAnswer(said)).toMatchObject({ summary: 'y', findings: [] });
    expect(
      readExpertAnswer('{"findings": [{"severity": "constructor", "description": "z"}]}'),
    ).toMatchObject({
      findings: [{ severity: 'medium', description: 'z' }],
    });
  });

  test.each([
    'files_required_to_continue',
    'investigation_paused',
    'refactoring_paused',
    'focused_review_required',
    'full_codereview_required',
    'test_sample_needed',
    'more_tests_required',
  ])('%s is a wish for more', (status) => {
    const said = { status, mandatory_instructions: 'Show me.', files_needed: ['a.ts', 7, ''] };
    expect(readExpertAnswer(JSON.stringify(said)).needs).toEqual({
      status,
      instructions: 'Show me.',
      files: ['a.ts'],
    });
  });

  test('an unknown status is ignored', () => {
    const said = JSON.stringify({ ...WHOLE, status: 'calling_expert_analysis' });
    expect(readExpertAnswer(said)).toEqual(READ);
  });
});

const TEXT = { format: 'text', summary: '', findings: [], nextSteps: [] };

describe('an answer without usable JSON is a text', () => {
  test.each([
    ['nothing', ''],
    ['prose', 'All is well.'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['an object of something else', '{"a": 1}'],
    ['a summary of nothing', '{"summary": ""}'],
    ['null', 'null'],
    ['braces alone', '{'.repeat(200_000)],
    ['objects without a bottom', '{"a":'.repeat(100_000)],
    ['quotes and braces', '{"'.repeat(100_000)],
    ['brackets that do not match', '{"a":[1}'.repeat(50_000)],
    ['more than anybody was asked for', `{"summary": "${'x'.repeat(2_000_000)}"}`],
  ])('%s', (_, said) => {
    expect(readExpertAnswer(said)).toEqual(TEXT);
  });

  test('whatever is said, something comes of it', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '\\',
      ' ',
      '\n',
      '"summary"',
      '"x"',
      '1',
    );
    const garbage = fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 60 });
    fc.assert(
      fc.property(garbage, (list) => {
        expect(['json', 'text']).toContain(readExpertAnswer(list.join('')).format);
      }),
      { numRuns: 200 },
    );
  });

  test('every answer that was cut anywhere is read without a fault, and never says what was not said', () => {
    for (let at = 0; at <= JSON_TEXT.length; at += 1) {
      const { summary, findings } = readExpertAnswer(JSON_TEXT.slice(0, at));
      expect(['', WHOLE.summary]).toContain(summary);
      for (const finding of findings)
        expect(WHOLE.findings).toContainEqual(expect.objectContaining(finding));
    }
  });
});
