import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTING_ALIASES } from '#config/schema/setting-aliases.ts';
import { renamedEvents, RENAMED_METRICS } from '#core/telemetry/renamed-names.ts';

const PAGE = readFileSync(new URL('../../docs/upgrading.md', import.meta.url), 'utf8');

test('docs/upgrading.md lists every renamed setting, log event and metric', () => {
  const renamed = [
    ...SETTING_ALIASES,
    ...renamedEvents(),
    ...Object.entries(RENAMED_METRICS).map(([current, old]) => ({ old, current })),
  ];
  const missing = renamed.filter(
    ({ old, current }) => !PAGE.includes(`| \`${old}\` | \`${current}\` |`),
  );
  expect(missing).toEqual([]);
});
