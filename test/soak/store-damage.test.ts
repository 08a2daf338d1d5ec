import { expect } from 'vitest';
import { damageRound } from '../damage-round.ts';
import { reportWork } from '../soak-table.ts';
import { verifies } from '../verifies.ts';

const PLACES = [
  ['turns', 'first'],
  ['turns', 'middle'],
  ['turns', 'last'],
  ['turns', 'root'],
  ['calls', 'middle'],
] as const;

for (const [table, place] of PLACES) {
  verifies('store:damage-found', `the ${place} page of ${table} is found and skipped`, async () => {
    await reportWork(`the ${place} page of ${table} is damaged`, async () => {
      const { lost } = await damageRound(table, place, 20_000);
      expect(lost).toBeGreaterThan(0);
      if (place !== 'root') expect(lost).toBeLessThan(200);
      return { amount: '20000 rows', note: `found; ${20_000 - lost} rows saved` };
    });
  });
}
