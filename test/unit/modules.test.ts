import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ARROWS, OWNED, PURE, MODULES, type Module } from '../../scripts/arrows.ts';
import { oxlintrc } from '../../scripts/oxlintrc.ts';
import { refusedLines } from '../lint-lines.ts';
import { verifies } from '../verifies.ts';

/** All forms of import; the name is unique in the file. */
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

/** The import lines that the linter refuses in each module, and the lines that it should refuse. */
function tryEverywhere(
  specifiers: readonly string[],
  allows: (module: Module, from: string) => boolean,
) {
  const files: Record<string, string[]> = {};
  const expected: string[] = [];
  for (const module of MODULES) {
    const path = `src/${module}/deep/a.ts`;
    const own = [`#${module}/x.ts`, `../../${module}/x.ts`];
    const others = specifiers.filter((from) => !own.includes(from));
    const forms = others.flatMap((from) => FORMS.map((form) => ({ from, form })));
    files[path] = forms.map(({ from, form }, index) => form(from, `x${index}`));
    forms.forEach(({ from }, index) => {
      if (!allows(module, from)) expected.push(`${path}: ${files[path]?.[index]}`);
    });
  }
  return { found: refusedLines(files), expected: expected.sort() };
}

verifies('package:rooms', 'the linter has rules for every folder under src/', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter((each) => each.isDirectory());
  const names = folders.map(({ name }) => name);
  expect(names.filter((module) => !MODULES.includes(module as Module))).toEqual([]);
  const ruled = oxlintrc().overrides.flatMap(({ files }) => files);
  expect(MODULES.filter((module) => !ruled.includes(`src/${module}/**`))).toEqual([]);
});

verifies(
  'package:rooms',
  'the linter refuses exactly the modules that may not be imported, in each form of import',
  () => {
    const specifiers = MODULES.flatMap((module) => [`#${module}/x.ts`, `../../${module}/x.ts`]);
    const { found, expected } = tryEverywhere(specifiers, (module, from) =>
      ARROWS[module].some((other) => from === `#${other}/x.ts`),
    );
    expect(found).toEqual(expected);
  },
);

verifies(
  'package:rooms',
  'the linter refuses exactly the packages and built-ins that another module owns',
  () => {
    // zod has a separate rule; lint-rules.test.ts tests it.
    const owned = Object.keys(OWNED).filter((name) => name !== 'zod');
    const owners = new Map(
      owned.flatMap((name) => {
        const real = name.replace('*', 'api');
        return [real, `${real}/promises`].map((from) => [from, OWNED[name]]);
      }),
    );
    const { found, expected } = tryEverywhere(
      [...owners.keys(), 'node:path', 'node:util/types'],
      (module, from) => owners.get(from)?.includes(module) ?? !PURE.includes(module),
    );
    expect(found).toEqual(expected);
  },
);

test('the modules have no import cycle', () => {
  const open = new Map(Object.entries(ARROWS).map(([module, to]) => [module, new Set<string>(to)]));
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [module, to] of open)
      if ([...to].every((other) => !open.has(other))) open.delete(module);
  }
  expect([...open.keys()]).toEqual([]);
});

test('the table of docs/ARCHITECTURE.md equals scripts/arrows.ts', () => {
  const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
  const drawn: Record<string, readonly string[]> = {};
  for (const [, names = '', to = ''] of page.matchAll(/^\| ((?:`[a-z]+` ?)+)\| ([^|]+) \|/gm)) {
    const above = Object.keys(drawn);
    const targets = to === 'all of the above' ? above : to === '–' ? [] : to.split(' ');
    for (const [, module = ''] of names.matchAll(/`([a-z]+)`/g)) drawn[module] = targets.toSorted();
  }
  const real = Object.entries<readonly string[]>(ARROWS).map(([module, to]) => [
    module,
    to.toSorted(),
  ]);
  expect(drawn).toEqual(Object.fromEntries(real));
});
