import { expect, test } from 'vitest';
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
    name: 'without a daemon and without a key, the key is what is missing',
    checks: [check('daemon', 'off', 'exai serve'), check('key_kimi', 'off')],
    next: 'exai keys add glm',
  },
  {
    name: 'without a daemon, one can ask all the same, which starts it',
    checks: [check('daemon', 'off', 'exai serve'), check('key_kimi', 'ok')],
    next: 'exai ask "What is a monad?"',
  },
  {
    name: 'without a daemon, a warning is worth a look, too',
    checks: [
      check('daemon', 'off', 'exai serve'),
      check('key_glm', 'ok'),
      check('home', 'warn', 'chmod 700 /x'),
    ],
    next: 'chmod 700 /x',
  },
  {
    name: 'with a daemon, a warning is worth a look',
    checks: [
      check('daemon', 'ok'),
      check('key_kimi', 'off'),
      check('home', 'warn', 'chmod 700 /x'),
    ],
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
    name: 'with everything running there is nothing to mend, and one can ask',
    checks: [check('daemon', 'ok'), check('key_openrouter', 'ok')],
    next: 'exai ask "What is a monad?"',
  },
])('$name', ({ checks, next }) => {
  expect(concludeDiagnosis(checks).next).toBe(next);
});

test('warnings are named, whether the daemon runs or not', () => {
  for (const status of ['ok', 'off'] as const) {
    const checks = [check('daemon', status, 'exai serve'), check('models', 'warn', 'Name one.')];
    expect(concludeDiagnosis(checks).summary).toContain('look at: models.');
  }
});

test.each<[string, Check[], string]>([
  [
    'off',
    [check('daemon', 'off', 'exai serve')],
    'The daemon can start and its store works, but no model can be asked without a key.',
  ],
  [
    'off, with a key',
    [check('daemon', 'off', 'exai serve'), check('key_glm', 'ok')],
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
