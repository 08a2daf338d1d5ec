import { expect, test } from 'vitest';
import { tempHome } from '#config/temp-home.fixture.ts';
import { createRunningSettings } from './running-settings.ts';

test('the view has the current value of each setting, and copies of it do not change', () => {
  const home = tempHome();
  const before = home.load();
  const settings = createRunningSettings(before);
  const { config } = settings.live;
  const { limits } = config;
  const copy = { ...limits };
  expect(config).toEqual(before.config);

  home.write('config.json', '{ "limits": { "global": 3 }, "allowedDirs": ["/srv"] }');
  const next = home.load();
  const changes: unknown[] = [];
  const stop = settings.onChange((now, earlier) => changes.push([now, earlier]));
  settings.replace(next);
  expect([limits.global, config.allowedDirs, copy.global]).toEqual([3, ['/srv'], 24]);
  expect(config).toEqual(next.config);
  expect(settings.live.origins.get('limits.global')?.kind).toBe('file');
  expect(changes).toEqual([[next, before]]);
  stop();
  settings.replace(before);
  expect(changes).toHaveLength(1);
});
