import { createHome } from '../e2e/exai.ts';
import { FILE_FAULTS, fileFaultRound, removedLogRound } from '../store-file-rounds.ts';
import { reportWork } from '../soak-table.ts';
import { verifies } from '../verifies.ts';

for (const fault of FILE_FAULTS) {
  verifies('store:deleted-database', `the database is ${fault}, three times`, async () => {
    await reportWork(`the database of a running daemon is ${fault}`, async () => {
      for (let round = 0; round < 3; round++) await fileFaultRound(createHome(), fault);
      return { amount: '3 rounds', note: 'refused, /readyz 503; works again once it is back' };
    });
  });
}

verifies('store:cut-audit', 'a log with forty acknowledged calls is removed after a kill', () =>
  reportWork('WAL removed after a kill', async () => {
    await removedLogRound(createHome(), 40);
    return {
      amount: '40 acknowledged calls',
      note: 'found by the start, status, doctor and audit verify',
    };
  }),
);
