import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ARROWS, OWNED, ROOMS } from '../../scripts/arrows.ts';
import { generated } from '../../scripts/generated.ts';
import { oxlintrc } from '../../scripts/oxlintrc.ts';
import { REQUIREMENTS } from '../requirements.ts';
import { verifies } from '../verifies.ts';

const folders = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

verifies('package:rooms', 'every folder under src/ is a room that the linter knows', () => {
  expect(folders('src').filter((room) => !ROOMS.includes(room as (typeof ROOMS)[number]))).toEqual(
    [],
  );
  const ruled = oxlintrc().overrides.flatMap(({ files }) => files);
  expect(ROOMS.filter((room) => !ruled.includes(`src/${room}/**`))).toEqual([]);
});

test('the arrows have no circle', () => {
  const open = new Map(Object.entries(ARROWS).map(([room, to]) => [room, new Set<string>(to)]));
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [room, to] of open)
      if ([...to].every((other) => !open.has(other))) open.delete(room);
  }
  expect([...open.keys()]).toEqual([]);
});

/** One file per room that imports every other room and every owned package, in each form an import takes. */
verifies(
  'package:rooms',
  'the linter refuses exactly the imports that have no arrow',
  () => {
    const root = mkdtempSync('test/.rooms-');
    try {
      const rules = { ...oxlintrc(), options: {}, rules: {}, categories: {}, plugins: ['import'] };
      writeFileSync(join(root, '.oxlintrc.json'), JSON.stringify(rules));
      const expected: string[] = [];
      for (const room of ROOMS) {
        mkdirSync(join(root, 'src', room, 'deep'), { recursive: true });
        const lines: string[] = [];
        for (const other of ROOMS.filter((each) => each !== room)) {
          lines.push(`import '#${other}/x.ts';`, `export type * from '#${other}/y.ts';`);
          lines.push(`import '../../${other}/z.ts';`);
          const allowed = (ARROWS[room] as readonly string[]).includes(other);
          if (!allowed) expected.push(`${room} #${other}/x.ts`, `${room} #${other}/y.ts`);
          expected.push(`${room} ../../${other}/z.ts`);
        }
        for (const [name, owners] of Object.entries(OWNED)) {
          const specifier = name.replace('*', 'api');
          lines.push(`import '${specifier}';`);
          if (!owners.includes(room)) expected.push(`${room} ${specifier}`);
        }
        writeFileSync(join(root, 'src', room, 'deep', 'a.ts'), `${lines.join('\n')}\n`);
      }
      const run = spawnSync(
        join(process.cwd(), 'node_modules/.bin/oxlint'),
        ['--format=json', 'src'],
        {
          cwd: root,
          encoding: 'utf8',
          maxBuffer: 1e8,
        },
      );
      const { diagnostics } = JSON.parse(run.stdout) as {
        diagnostics: { filename: string; labels: { span: { line: number } }[] }[];
      };
      const found = diagnostics.map(({ filename, labels }) => {
        const room = filename.split('/')[1] ?? '';
        const line = readFileSync(join(root, filename), 'utf8').split('\n')[
          (labels[0]?.span.line ?? 0) - 1
        ];
        return `${room} ${line?.match(/'(.*)'/)?.[1]}`;
      });
      expect(found.sort()).toEqual(expected.sort());
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
  30_000,
);

verifies('package:generated', 'every generated file is what its generator writes now', () => {
  for (const { path, content } of generated()) {
    expect(readFileSync(path, 'utf8'), `${path} is stale: npm run generate`).toBe(content);
  }
});

verifies('package:light', 'a production install is small and runs no script of a package', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean; resolved?: string }>;
  };
  const production = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(production.length).toBeLessThanOrEqual(60);
  expect(
    production.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
  ).toEqual([]);
  // A lock file that names a host would send every installer there.
  expect(
    Object.values(lock.packages).filter(({ resolved }) => resolved?.startsWith('http')),
  ).toEqual([]);
});

test('every promise is cited by a test', () => {
  const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !path.endsWith('requirements.ts'));
  const cited = new Set(
    tests.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/verifies\(\s*'([^']+)'/g)].map(([, id]) => id),
    ),
  );
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
});
