import { expect } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { verifies } from '../../../test/verifies.ts';
import { checkConfiguration, checkSettingNames } from './basic-checks.ts';

type Context = Parameters<typeof checkConfiguration>[0];

/** Both checks use only the settings and the paths of their files. */
function contextOf(env: Record<string, string>): Context {
  const loaded = loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } });
  return { loaded, home: loaded.home, configFile: loaded.home.configFile } as Context;
}

verifies(
  'doctor:aliases',
  'each old setting name in use is reported with the new one',
  async () => {
    const context = contextOf({ EXAI_DOOR_ORIGINS: 'http://a.example', EXAI_WS_PORT: '1' });
    expect(await checkSettingNames(context)).toEqual([
      {
        id: 'setting_names',
        title: 'Setting names',
        status: 'warn',
        detail:
          'EXAI_WS_PORT is an old name and still works; use EXAI_PORT. ' +
          'EXAI_DOOR_ORIGINS in the environment is called EXAI_LISTENER_ORIGINS now; the old name works until 0.3.',
      },
    ]);
    expect(await checkConfiguration(context)).toMatchObject([{ status: 'ok' }]);
  },
);

verifies('doctor:aliases', 'without an old setting name there is no check', async () => {
  expect(await checkSettingNames(contextOf({ EXAI_PORT: '1' }))).toEqual([]);
});
