import { expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { DaemonRecord } from '../daemon-file.ts';
import type { Patient } from './check.ts';
import { gateway } from './gateway.ts';

const ABSENT = { is: 'absent' } as const;
const runs = (more: Partial<DaemonRecord>): Patient['daemon'] => ({
  is: 'running',
  record: { url: 'http://0.0.0.0:9001', ...more } as DaemonRecord,
});

/** The rest of a patient is not looked at. */
const examine = (daemon: Patient['daemon'], env: Record<string, string> = {}) =>
  gateway({ daemon, loaded: loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } }) } as Patient);

test('a daemon that runs says where the gateway is', async () => {
  expect(await examine(runs({ gateway: 'on' }))).toEqual([
    {
      id: 'gateway',
      title: 'Gateway',
      status: 'ok',
      detail: 'http://127.0.0.1:9001/v1, as OpenAI and Anthropic; exai gateway env <tool>',
    },
  ]);
});

test('one that is older than the question is taken at the word of the settings', async () => {
  expect(await examine(runs({}))).toMatchObject([{ status: 'ok' }]);
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
  expect(await examine(ABSENT, env)).toMatchObject([{ status: 'off', detail }]);
});

test.each([
  ['on', { EXAI_GATEWAY_ENABLED: 'false' }, 'switched on in the daemon that runs, and off'],
  ['off', {}, 'switched off in the daemon that runs, and on'],
] as const)(
  'settings that the daemon does not have yet are warned of: %s',
  async (is, env, words) => {
    const [check] = await examine(runs({ gateway: is }), env);
    expect(check).toMatchObject({ status: 'warn', fix: 'exai stop && exai serve' });
    expect(check?.detail).toContain(words);
  },
);

test('with settings that cannot be read only a daemon that runs is believed', async () => {
  const loaded = new CallError('validation', 'It is broken.');
  expect(await gateway({ daemon: ABSENT, loaded } as Patient)).toEqual([]);
  const daemon = runs({ gateway: 'on' });
  expect(await gateway({ daemon, loaded } as Patient)).toMatchObject([{ status: 'ok' }]);
});
