import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Check } from './check.ts';
import { concludeDiagnosis } from './summary.ts';

function check(id: string, status: Check['status'], fix?: string): Check {
  return { id, title: id, status, detail: '', ...(fix !== undefined && { fix }) };
}

test.each<{ name: string; checks: Check[]; next: string }>([
  {
    name: 'something broken comes before all else',
    checks: [check('daemon', 'ok'), check('disk', 'fail', 'Free some space.')],
    next: 'Free some space.',
  },
  {
    name: 'a daemon that is not ready because of its store is mended at the store',
    checks: [check('daemon', 'fail', 'exai logs'), check('store', 'fail', 'Start it.')],
    next: 'Start it.',
  },
  {
    name: 'without a daemon and without a key, the key is what is missing',
    checks: [check('daemon', 'off', 'exai start'), check('key_kimi', 'off')],
    next: 'exai keys add glm',
  },
  {
    name: 'without a daemon, one can ask all the same, which starts it',
    checks: [check('daemon', 'off', 'exai start'), check('key_kimi', 'ok')],
    next: 'exai ask "What is a monad?"',
  },
  {
    name: 'without a daemon, a warning is worth a look, too',
    checks: [
      check('daemon', 'off', 'exai start'),
      check('key_glm', 'ok'),
      check('home', 'warn', 'chmod 700 /x'),
    ],
    next: 'chmod 700 /x',
  },
  {
    name: 'with a daemon, a warning is worth a look',
    checks: [check('daemon', 'ok'), check('key_kimi', 'ok'), check('home', 'warn', 'chmod 700 /x')],
    next: 'chmod 700 /x',
  },
  {
    name: 'with a daemon and no key, one can be stored',
    checks: [check('daemon', 'ok'), check('key_kimi', 'off'), check('key_glm', 'off')],
    next: 'exai keys add glm',
  },
  {
    name: 'a key of no model does not count',
    checks: [check('daemon', 'ok'), check('key_logfire', 'ok'), check('key_kimi', 'off')],
    next: 'exai keys add glm',
  },
  {
    name: 'a provider that cannot be used matters more than another warning',
    checks: [
      check('daemon', 'ok'),
      check('home', 'warn', 'chmod 700 /x'),
      check('key_glm', 'warn', 'exai keys add glm'),
    ],
    next: 'exai keys add glm',
  },
  {
    name: 'with everything running there is nothing to mend, and one can ask',
    checks: [check('daemon', 'ok'), check('key_openrouter', 'ok')],
    next: 'exai ask "What is a monad?"',
  },
])('$name', ({ checks, next }) => {
  expect(concludeDiagnosis(checks).next).toBe(next);
});

test('warnings are named, whether the daemon runs or not', () => {
  for (const status of ['ok', 'off'] as const) {
    const checks = [
      check('daemon', status, 'exai start'),
      check('key_glm', 'ok'),
      check('models', 'warn', 'Name one.'),
    ];
    expect(concludeDiagnosis(checks).summary).toContain('look at: models.');
  }
});

test('a daemon that lost data works, and the summary says both', () => {
  const checks = [check('daemon', 'ok'), check('audit', 'fail', 'exai audit verify')];
  expect(concludeDiagnosis(checks)).toMatchObject({
    summary: 'Data was lost or damaged, and EX-AI continues without it; look at: audit.',
    next: 'exai audit verify',
  });
  expect(concludeDiagnosis([...checks, check('disk', 'fail')]).summary).toContain('does not work');
});

test('a daemon that commands may not start is to be started first', () => {
  const checks = [check('daemon', 'off', 'exai start'), check('key_glm', 'ok')];
  expect(concludeDiagnosis(checks, 'off')).toMatchObject({
    summary: expect.stringContaining('EXAI_AUTOSTART'),
    next: 'exai start',
    answers: 'yes',
  });
});

test.each<[string, Check[], string]>([
  [
    'off',
    [check('daemon', 'off', 'exai start')],
    'The daemon can start and its store works, but no model can be asked without a key.',
  ],
  [
    'off, with a key',
    [check('daemon', 'off', 'exai start'), check('key_glm', 'ok')],
    'The daemon can start and its store works; it starts with the first question.',
  ],
  [
    'running',
    [check('daemon', 'ok')],
    'The daemon runs and its store works, but no model can be asked without a key.',
  ],
  [
    'running, with a key',
    [check('daemon', 'ok'), check('key_kimi', 'ok')],
    'Everything that is set up works.',
  ],
])('with the daemon %s it says in one sentence what works', (_, checks, summary) => {
  expect(concludeDiagnosis(checks).summary).toBe(summary);
});

verifies('doctor:exit', 'a model can answer if one provider can be used', () => {
  const answers = (...checks: Check[]) => concludeDiagnosis(checks).answers;
  expect(answers(check('daemon', 'ok'))).toBe('no');
  expect(answers(check('key_glm', 'off'))).toBe('no');
  expect(answers(check('key_glm', 'warn', 'exai keys add glm'))).toBe('no');
  expect(answers(check('key_logfire', 'ok'))).toBe('no');
  expect(answers(check('key_glm', 'warn'), check('key_kimi', 'ok'))).toBe('yes');
  expect(answers({ ...check('key_glm', 'warn', 'exai stop'), answers: 'yes' })).toBe('yes');
});

test('when no provider that is set up can be used, all of them are named', () => {
  const refused = { ...check('key_glm', 'warn', 'exai keys add glm'), title: 'GLM' };
  const unreachable = { ...check('key_kimi', 'warn', 'exai keys test kimi'), title: 'Kimi' };
  expect(concludeDiagnosis([check('daemon', 'ok'), refused, unreachable])).toEqual({
    summary: 'The daemon runs and its store works, but no model can answer; look at: GLM, Kimi.',
    next: 'exai keys add glm',
    answers: 'no',
  });
});
