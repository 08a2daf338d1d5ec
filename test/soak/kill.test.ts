import { inject } from 'vitest';
import { killRounds } from '../kill-rounds.ts';
import { KINDS, makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

for (const kind of KINDS.filter((each) => each === 'sqlite' || inject('postgresUrl') !== '')) {
  verifies('store:kill', `a hundred kills under load lose nothing on ${kind}`, async () => {
    const home = await makeStoreHome(kind);
    const { acknowledged } = await killRounds(home, 100);
    console.log(`${kind}: ${acknowledged} acknowledged writes, none lost in 100 kills`);
    await home.remove();
  });
}
