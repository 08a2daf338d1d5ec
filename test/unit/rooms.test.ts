import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ARROWS, OWNED, PURE, ROOMS, type Room } from '../../scripts/arrows.ts';
import { oxlintrc } from '../../scripts/oxlintrc.ts';
import { refusedLines } from '../lint-lines.ts';
import { verifies } from '../verifies.ts';

/** Each form an import takes; the name keeps two of them in one file apart. */
const FORMS: readonly ((from: string, name: string) => string)[] = [
  (from) => `import '${from}';`,
  (from, name) => `import ${name} from '${from}';`,
  (from, name) => `import { a as ${name} } from '${from}';`,
  (from, name) => `import * as ${name} from '${from}';`,
  (from, name) => `import type { A as ${name} } from '${from}';`,
  (from, name) => `export { a as ${name} } from '${from}';`,
  (from, name) => `export type { A as ${name} } from '${from}';`,
  (from) => `export * from '${from}';`,
  (from) => `export type * from '${from}';`,
  (from, name) => `const ${name} = await import('${from}');`,
];

/** What each room may import of the given modules, and what the linter says of it. */
function tryEverywhere(modules: readonly string[], allows: (room: Room, from: string) => boolean) {
  const files: Record<string, string[]> = {};
  const expected: string[] = [];
  for (const room of ROOMS) {
    const path = `src/${room}/deep/a.ts`;
    const own = [`#${room}/x.ts`, `../../${room}/x.ts`];
    const others = modules.filter((from) => !own.includes(from));
    const forms = others.flatMap((from) => FORMS.map((form) => ({ from, form })));
    files[path] = forms.map(({ from, form }, index) => form(from, `x${index}`));
    forms.forEach(({ from }, index) => {
      if (!allows(room, from)) expected.push(`${path}: ${files[path]?.[index]}`);
    });
  }
  return { found: refusedLines(files), expected: expected.sort() };
}

verifies('package:rooms', 'every folder under src/ is a room that the linter knows', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter((each) => each.isDirectory());
  const names = folders.map(({ name }) => name);
  expect(names.filter((room) => !ROOMS.includes(room as Room))).toEqual([]);
  const ruled = oxlintrc().overrides.flatMap(({ files }) => files);
  expect(ROOMS.filter((room) => !ruled.includes(`src/${room}/**`))).toEqual([]);
});

verifies(
  'package:rooms',
  'the linter refuses exactly the rooms that have no arrow, in each form an import takes',
  () => {
    const modules = ROOMS.flatMap((room) => [`#${room}/x.ts`, `../../${room}/x.ts`]);
    const { found, expected } = tryEverywhere(modules, (room, from) =>
      ARROWS[room].some((other) => from === `#${other}/x.ts`),
    );
    expect(found).toEqual(expected);
  },
);

verifies(
  'package:rooms',
  'the linter refuses exactly the packages and built-ins that another room owns',
  () => {
    // zod has a rule of its own beside; lint-rules.test.ts tries it.
    const owned = Object.keys(OWNED).filter((name) => name !== 'zod');
    const owners = new Map(
      owned.flatMap((name) => {
        const real = name.replace('*', 'api');
        return [real, `${real}/promises`].map((from) => [from, OWNED[name]]);
      }),
    );
    const { found, expected } = tryEverywhere(
      [...owners.keys(), 'node:path', 'node:util/types'],
      (room, from) => owners.get(from)?.includes(room) ?? !PURE.includes(room),
    );
    expect(found).toEqual(expected);
  },
);

test('the arrows have no circle', () => {
  const open = new Map(Object.entries(ARROWS).map(([room, to]) => [room, new Set<string>(to)]));
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [room, to] of open)
      if ([...to].every((other) => !open.has(other))) open.delete(room);
  }
  expect([...open.keys()]).toEqual([]);
});

test('docs/ARCHITECTURE.md draws the arrows as they are', () => {
  const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
  const drawn: Record<string, readonly string[]> = {};
  for (const [, rooms = '', to = ''] of page.matchAll(/^\| ((?:`[a-z]+` ?)+)\| ([^|]+) \|/gm)) {
    const above = Object.keys(drawn);
    const targets = to === 'all of the above' ? above : to === '–' ? [] : to.split(' ');
    for (const [, room = ''] of rooms.matchAll(/`([a-z]+)`/g)) drawn[room] = targets.toSorted();
  }
  const real = Object.entries<readonly string[]>(ARROWS).map(([room, to]) => [room, to.toSorted()]);
  expect(drawn).toEqual(Object.fromEntries(real));
});
