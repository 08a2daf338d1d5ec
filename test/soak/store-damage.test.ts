import { expect } from 'vitest';
import { damageRound } from '../damage-round.ts';
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
    const { lost } = await damageRound(table, place, 20_000);
    console.log(`${place} page of ${table}: ${lost} of 20000 rows lost`);
    expect(lost).toBeGreaterThan(0);
    if (place !== 'root') expect(lost).toBeLessThan(200);
  });
}
