// What choosing, guarding and asking cost beside the answer itself, and what an outage costs before
// and after it is noticed.
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { report } from '../report.ts';
import { askRows } from './asks.ts';
import { decisionRows } from './decisions.ts';
import { guardRows } from './guards.ts';
import { outageRows } from './outage.ts';

buildSync({
  entryPoints: [resolve('bench/manager/vendors.ts')],
  outdir: resolve('bench/manager/built'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
});

report('manager', [
  ...(await decisionRows()),
  ...(await guardRows()),
  ...(await askRows()),
  ...(await outageRows()),
]);
