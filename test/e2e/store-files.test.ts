import { expect } from 'vitest';
import { get } from '../http-get.ts';
import { breakFiles, fileFaultRound, removedLogRound, storeTurn } from '../store-file-rounds.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

for (const fault of ['moved', 'log deleted'] as const) {
  verifies('store:deleted-database', `a daemon whose database is ${fault} refuses calls`, () =>
    fileFaultRound(createHome(), fault),
  );
}

verifies(
  'store:deleted-database',
  'while a database is moved away, a search creates no other one, which would remove its log',
  async () => {
    const home = createHome();
    const daemon = await home.serve();
    expect((await storeTurn(home, 'the lamp is lit')).code).toBe(0);
    const putBack = breakFiles(home, 'moved');
    const search = () =>
      home.exai(['threads', 'search', 'lamp'], { env: { EXAI_AUTOSTART: 'off' } });
    const away = await search();
    expect(away.code).not.toBe(0);
    expect(away.stderr).toContain('was deleted, moved or replaced');
    putBack?.();
    await expect.poll(async () => (await get(`${daemon.url}/readyz`)).status).toBe(200);
    expect((await search()).stdout).toContain('lamp');
    daemon.kill('SIGKILL');
    await daemon.ended;
    await home.serve();
    expect((await search()).stdout).toContain('lamp');
  },
);

verifies(
  'store:cut-audit',
  'a log that was removed after a kill is reported at the next start',
  () => removedLogRound(createHome(), 2),
);
