import { inject } from 'vitest';
import { killRounds } from '../kill-rounds.ts';
import { reportWork } from '../soak-table.ts';
import { KINDS, makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const KILLS = Number(process.env['EXAI_SOAK_KILLS'] ?? 100);

for (const kind of KINDS.filter((each) => each === 'sqlite' || inject('postgresUrl') !== '')) {
  verifies('store:kill', `a hundred kills under load lose nothing on ${kind}`, async () => {
    const home = await makeStoreHome(kind);
    await reportWork(`kill -9 of a program that writes, ${kind}`, async () => {
      const { acknowledged } = await killRounds(home, KILLS);
      return { amount: `${KILLS} kills, ${acknowledged} acknowledged writes` };
    });
    await home.remove();
  });
}
