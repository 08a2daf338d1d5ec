import { createHome } from '../e2e/exai.ts';
import { FILE_FAULTS, fileFaultRound, removedLogRound } from '../store-file-rounds.ts';
import { verifies } from '../verifies.ts';

for (const fault of FILE_FAULTS) {
  verifies('store:deleted-database', `the database is ${fault}, three times`, async () => {
    for (let round = 0; round < 3; round++) await fileFaultRound(createHome(), fault);
  });
}

verifies('store:cut-audit', 'a log with forty acknowledged calls is removed after a kill', () =>
  removedLogRound(createHome(), 40),
);
