import { expect, inject } from 'vitest';
import { killFileRounds } from '../kill-file-rounds.ts';
import { runByteLoad } from '../run-byte-load.ts';
import { KINDS, makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

/** More resident memory than before the first byte, whatever the size. */
const MAX_GROWTH_MIB = 120;

for (const kind of KINDS.filter((each) => each === 'sqlite' || inject('postgresUrl') !== '')) {
  verifies('files:flat-memory', `1 GiB is written and read on ${kind}`, async () => {
    const home = await makeStoreHome(kind);
    const load = await runByteLoad(home, 1024, 'as is');
    console.log(`${kind}: ${JSON.stringify(load)}`);
    expect(load.writePeakMib - load.baseMib).toBeLessThan(MAX_GROWTH_MIB);
    expect(load.readPeakMib - load.baseMib).toBeLessThan(MAX_GROWTH_MIB);
    await home.remove();
  });

  verifies('files:whole', `thirty kills leave whole files or none on ${kind}`, async () => {
    const home = await makeStoreHome(kind);
    console.log(`${kind}: ${await killFileRounds(home, 30)} files were stored`);
    await home.remove();
  });
}
