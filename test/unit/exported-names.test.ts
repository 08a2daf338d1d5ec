import { expect, test } from 'vitest';
import { TWICE } from '../../scripts/exported-twice.ts';
import { readShape } from '../../scripts/shape.ts';

const shape = readShape();

test('an exported name exists once in src/, or has a reason to exist twice', () => {
  expect(Object.fromEntries(shape.exportedTwice)).toEqual({});
});

test('no reason outlives the name it was given for', () => {
  const counts = new Map<string, number>();
  for (const { exports } of shape.files) {
    for (const name of exports) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  expect([...TWICE.keys()].filter((name) => (counts.get(name) ?? 0) < 2)).toEqual([]);
});

/** Words of the glossary's last column that no name has a reason to hold. */
const AVOIDED =
  /(?:^|[-_])(?:ride|(?<!in-)flight|doorman|doorkeeping|breath|shelf|wish|wishes|wished|knock|meant|meanings|purse|patience|heard|door|doors|desk|told|resting|quotation|askable|nobody|whoever|somebody|farewell)(?:$|[-_])/;

/** `createDoorman` as `create-doorman`. */
function inKebabCase(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();
}

test('no file and no exported name has a word that the glossary avoids', () => {
  const names = shape.files.flatMap(({ file, exports }) => [
    ...file.replace(/\.ts$/, '').split('/').slice(1),
    ...exports.map(inKebabCase),
  ]);
  expect([...new Set(names.filter((name) => AVOIDED.test(name)))]).toEqual([]);
});

test('no file of src/ has more than 400 lines', () => {
  expect(shape.overlong).toEqual([]);
});
