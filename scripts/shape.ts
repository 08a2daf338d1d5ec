/**
 * Prints the shape of the sources as a reader meets it: how many files there are, how many imports
 * a file has, which files only one other file imports, which exported names exist twice, which
 * folders are large, and how many files one call runs through.
 *
 * `npm run shape` prints the figures; `--list` adds the files behind them, `--under src/manager`
 * limits the lists to a folder, `--calls` also counts the files of two calls (it starts a daemon).
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measureCalls, type CallCoverage } from './call-coverage.ts';
import { TWICE } from './exported-twice.ts';

const root = path.resolve(import.meta.dirname, '..');

export interface SourceFile {
  /** From the project's root, as in `src/core/time/clock.ts`. */
  readonly file: string;
  readonly lines: number;
  /** Files of `src/` that it imports. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  readonly hasTest: boolean;
}

export interface Shape {
  readonly files: readonly SourceFile[];
  readonly medianImports: number;
  readonly medianLines: number;
  /** Imported by one file alone, and without a test. */
  readonly singleImporter: readonly string[];
  /** Imported by one file alone, with or without a test. */
  readonly singleImporterAtAll: number;
  readonly exportedTwice: ReadonlyMap<string, readonly string[]>;
  readonly overlong: readonly string[];
  readonly folders: ReadonlyMap<string, number>;
}

const IMPORT = /(?:from|import)\s*\(?\s*'((?:#|\.\.?\/)[^']+)'/g;
const EXPORT =
  /^export (?:default )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

export function readShape(): Shape {
  const all = walk(path.join(root, 'src'));
  const sources = all.filter((file) => !/\.(?:test|fixture)\.ts$/.test(file));
  const files = sources.map((file) => readSource(file, new Set(all)));

  const importers = new Map<string, Set<string>>();
  for (const { file, imports } of files) {
    for (const target of imports) {
      const known = importers.get(target) ?? new Set();
      importers.set(target, known.add(file));
    }
  }
  const exported = new Map<string, string[]>();
  for (const { file, exports } of files) {
    for (const name of exports) exported.set(name, [...(exported.get(name) ?? []), file]);
  }
  const folders = new Map<string, number>();
  for (const { file } of files) {
    const folder = path.posix.dirname(file);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return {
    files,
    medianImports: median(files.map(({ imports }) => imports.length)),
    medianLines: median(files.map(({ lines }) => lines)),
    singleImporter: files
      .filter(({ file, hasTest }) => importers.get(file)?.size === 1 && !hasTest)
      .map(({ file }) => file),
    singleImporterAtAll: files.filter(({ file }) => importers.get(file)?.size === 1).length,
    exportedTwice: new Map(
      [...exported].filter(([name, places]) => places.length > 1 && !TWICE.has(name)),
    ),
    overlong: files.filter(({ lines }) => lines > 400).map(({ file }) => file),
    folders,
  };
}

function readSource(file: string, all: ReadonlySet<string>): SourceFile {
  const text = readFileSync(path.join(root, file), 'utf8');
  const imports = new Set<string>();
  for (const [, specifier = ''] of text.matchAll(IMPORT)) {
    const target = specifier.startsWith('#')
      ? `src/${specifier.slice(1)}`
      : path.posix.join(path.posix.dirname(file), specifier);
    if (target !== file && all.has(target)) imports.add(target);
  }
  return {
    file,
    lines: text.split('\n').length - 1,
    imports: [...imports],
    exports: [...new Set([...text.matchAll(EXPORT)].map(([, name = '']) => name))],
    hasTest:
      all.has(file.replace(/(?:\.schema)?\.ts$/, '.test.ts')) ||
      all.has(file.replace(/\.ts$/, '.test.ts')),
  };
}

function walk(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function print(shape: Shape, { list, under }: { list: boolean; under: string }): void {
  const { files, singleImporter, exportedTwice, folders, overlong } = shape;
  const share = (100 * singleImporter.length) / files.length;
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  console.log(`files                        ${files.length}`);
  console.log(`lines                        ${lines}`);
  console.log(`median lines of a file       ${shape.medianLines}`);
  console.log(`median imports of a file     ${shape.medianImports}`);
  console.log(`one importer and no test     ${singleImporter.length} (${share.toFixed(1)} %)`);
  const atAll = (100 * shape.singleImporterAtAll) / files.length;
  console.log(`one importer                 ${shape.singleImporterAtAll} (${atAll.toFixed(1)} %)`);
  console.log(
    `exported names that are twice ${exportedTwice.size} (and ${TWICE.size} with a reason)`,
  );
  console.log(`files over 400 lines         ${overlong.length}`);
  console.log('largest folders:');
  for (const [folder, count] of [...folders].toSorted(([, a], [, b]) => b - a).slice(0, 12)) {
    console.log(`  ${String(count).padStart(3)} ${folder}`);
  }
  if (!list) return;
  const inside = (file: string) => file.startsWith(under);
  console.log('\none importer and no test:');
  for (const file of singleImporter.filter(inside)) console.log(`  ${file}`);
  console.log('\nexported twice:');
  for (const [name, places] of exportedTwice) {
    if (places.some(inside)) console.log(`  ${name}: ${places.join(', ')}`);
  }
}

function printCall(title: string, { files, functions }: CallCoverage): void {
  console.log(`files that one ${title} runs through: ${files.length} (${functions} functions)`);
  const counts = new Map<string, number>();
  for (const file of files) {
    const module = file.split('/')[1] ?? '';
    counts.set(module, (counts.get(module) ?? 0) + 1);
  }
  console.log(`  ${[...counts].map(([module, count]) => `${module} ${count}`).join(', ')}`);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      under: { type: 'string', default: 'src' },
      calls: { type: 'boolean', default: false },
    },
  });
  print(readShape(), values);
  if (values.calls) {
    const { tool, stream } = await measureCalls();
    printCall('tools/call chat', tool);
    printCall('streamed chat', stream);
  }
}
