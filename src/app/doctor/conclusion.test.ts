import { expect, test } from 'vitest';
import type { Check } from './check.ts';
import { conclude } from './conclusion.ts';

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
    name: 'without a daemon, it can be started, with or without a key',
    checks: [check('daemon', 'off', 'exai serve'), check('key_kimi', 'off')],
    next: 'exai serve',
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
    next: 'exai keys add kimi',
  },
  {
    name: 'a key of no model does not count',
    checks: [check('daemon', 'ok'), check('key_logfire', 'ok'), check('key_kimi', 'off')],
    next: 'exai keys add kimi',
  },
  {
    name: 'with everything running there is nothing to mend',
    checks: [check('daemon', 'ok'), check('key_openrouter', 'ok')],
    next: 'exai status',
  },
])('$name', ({ checks, next }) => {
  expect(conclude(checks).next).toBe(next);
});

test('what is worth a look is named, whether the daemon runs or not', () => {
  for (const status of ['ok', 'off'] as const) {
    const checks = [check('daemon', status, 'exai serve'), check('models', 'warn', 'Name one.')];
    expect(conclude(checks).summary).toContain('look at: models.');
  }
});

test.each<[string, Check[]]>([
  ['off', [check('daemon', 'off', 'exai serve')]],
  ['running', [check('daemon', 'ok')]],
  ['running with a key', [check('daemon', 'ok'), check('key_kimi', 'ok')]],
])('with the daemon %s it is said that no model answers yet, in one sentence', (_, checks) => {
  const { summary } = conclude(checks);
  expect(summary).toContain('models answer in a coming version');
  expect(summary).toMatch(/^[^.]+\.$/);
});
