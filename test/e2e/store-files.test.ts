import { fileFaultRound, removedLogRound } from '../store-file-rounds.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

for (const fault of ['moved', 'log deleted'] as const) {
  verifies('store:deleted-database', `a daemon whose database is ${fault} refuses calls`, () =>
    fileFaultRound(createHome(), fault),
  );
}

verifies(
  'store:cut-audit',
  'a log that was removed after a kill is reported at the next start',
  () => removedLogRound(createHome(), 2),
);
