import { expect, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { DaemonRecord } from '../daemon/daemon-file.ts';
import type { CheckContext } from './check.ts';
import { checkGateway } from './daemon-checks.ts';

const ABSENT = { is: 'absent' } as const;
const runs = (more: Partial<DaemonRecord>): CheckContext['daemon'] => ({
  is: 'running',
  record: { url: 'http://0.0.0.0:9001', ...more } as DaemonRecord,
});

/** The check uses nothing else of the context. */
const runCheck = (daemon: CheckContext['daemon'], env: Record<string, string> = {}) =>
  checkGateway({
    daemon,
    loaded: loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } }),
  } as CheckContext);

test('a running daemon reports the address of the gateway', async () => {
  expect(await runCheck(runs({ gateway: 'on' }))).toEqual([
    {
      id: 'gateway',
      title: 'Gateway',
      status: 'ok',
      detail: 'http://127.0.0.1:9001/v1, as OpenAI and Anthropic; exai gateway env <tool>',
    },
  ]);
});

test('for an older daemon the settings decide', async () => {
  expect(await runCheck(runs({}))).toMatchObject([{ status: 'ok' }]);
});

test.each<[Record<string, string>, string]>([
  [{}, 'will answer at http://127.0.0.1:8765/v1 when the daemon runs'],
  [{ EXAI_HOST: '::1' }, 'will answer at http://[::1]:8765/v1 when the daemon runs'],
  [{ EXAI_PORT: '0' }, 'will answer at any free port when the daemon runs'],
  [{ EXAI_PORT: 'off' }, 'needs TCP, and the port is off'],
  [
    { EXAI_TLS_CERT: '/c.pem', EXAI_TLS_KEY: '/k.pem' },
    'will answer at https://127.0.0.1:8765/v1 when the daemon runs',
  ],
  [{ EXAI_GATEWAY_ENABLED: 'false' }, 'switched off by gateway.enabled'],
])('without a daemon the settings %j mean: %s', async (env, detail) => {
  expect(await runCheck(ABSENT, env)).toMatchObject([{ status: 'off', detail }]);
});

test.each([
  ['on', { EXAI_GATEWAY_ENABLED: 'false' }, 'switched on in the daemon that runs, and off'],
  ['off', {}, 'switched off in the daemon that runs, and on'],
] as const)(
  'settings that the running daemon does not have yet give a warning: %s',
  async (is, env, words) => {
    const [check] = await runCheck(runs({ gateway: is }), env);
    expect(check).toMatchObject({ status: 'warn', fix: 'exai restart' });
    expect(check?.detail).toContain(words);
  },
);

test('with unreadable settings only a running daemon is reported', async () => {
  const loaded = new CallError('validation', 'It is broken.');
  expect(await checkGateway({ daemon: ABSENT, loaded } as CheckContext)).toEqual([]);
  const daemon = runs({ gateway: 'on' });
  expect(await checkGateway({ daemon, loaded } as CheckContext)).toMatchObject([{ status: 'ok' }]);
});
