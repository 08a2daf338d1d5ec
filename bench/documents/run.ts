/**
 * The facts found in real documents, by the scorer beside them, and pages per CPU-second; beside
 * pdftotext and pandoc where they are installed. Each hostile file has a process of its own, whose
 * time and memory are measured. The documents are not part of the repository; without them the
 * bench reports "not run".
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report, type BenchRow } from '../report.ts';
import { hasDocuments, readCases, SCORER, type CaseOutput, type DocumentCase } from './cases.ts';
import { canRead, installedOthers, readWith, type Other } from './others.ts';
import { readCase } from './read-case.ts';

const MIN_FACTS = 0.96;
const TIMEOUT_MS = 20_000;
/** So that the speed is that of compiled code. */
const PASSES = 5;

const [, script = '', child, ...ids] = process.argv;
if (child === 'read') {
  const outputs = await readAll(ids);
  const rss = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ outputs, rss } satisfies ChildResult));
} else if (child === 'speed') console.log(JSON.stringify(await measureSpeed()));
else if (hasDocuments()) measure();
else
  report('documents', [{ what: 'not run: the documents are not here', value: 0, unit: 'files' }]);

interface ChildResult {
  readonly outputs: Record<string, CaseOutput>;
  /** The most memory that the process had, in MB. */
  readonly rss: number;
}

async function readAll(wanted: readonly string[]): Promise<Record<string, CaseOutput>> {
  const outputs: Record<string, CaseOutput> = {};
  for (const each of readCases())
    if (wanted.includes(each.id)) outputs[each.id] = await readCase(each);
  return outputs;
}

/** Pages of PDF documents that are read in a second of CPU time. */
async function measureSpeed(): Promise<number> {
  const documents = readCases().filter(isOrdinaryPdf);
  for (const each of documents) await readCase(each);
  const start = process.cpuUsage();
  let pages = 0;
  for (let pass = 0; pass < PASSES; pass += 1)
    for (const each of documents) pages += (await readCase(each)).pages ?? 0;
  const { user, system } = process.cpuUsage(start);
  return pages / ((user + system) / 1_000_000);
}

function isOrdinaryPdf({ file, hostile, password }: DocumentCase): boolean {
  return file.endsWith('.pdf') && !hostile && password === undefined;
}

function measure(): void {
  const cases = readCases();
  const ordinary = cases.filter(({ hostile }) => !hostile).map(({ id }) => id);
  const outputs = readInChild(ordinary);
  for (const { id, hostile } of cases) if (hostile) Object.assign(outputs, readInChild([id]));
  const score = scoreOf(outputs, 'ours');
  const rows: BenchRow[] = [
    {
      what: 'facts found, ours',
      value: score.mean,
      unit: 'of 1',
      goal: `≥ ${MIN_FACTS}`,
      ok: score.mean >= MIN_FACTS,
    },
    {
      what: 'hostile files handled, ours',
      value: score.hostile_mean,
      unit: 'of 1',
      goal: '1',
      ok: score.hostile_mean === 1,
    },
    { what: 'pages of PDF per CPU-second, ours', value: speedInChild(), unit: 'pages/s' },
  ];
  for (const other of installedOthers()) {
    const own = cases.filter((each) => !each.hostile && canRead(other, each));
    const read = Object.fromEntries(own.map((each) => [each.id, readWith(other, each)]));
    const [ours, theirs] = [
      scoreOf(pick(outputs, own), `ours, files of ${other.name}`, own),
      scoreOf(read, other.name, own),
    ];
    rows.push(
      { what: `facts found, ours, files of ${other.name}`, value: ours.mean, unit: 'of 1' },
      { what: `facts found, ${other.name}`, value: theirs.mean, unit: 'of 1' },
    );
    if (other.name === 'pdftotext')
      rows.push({
        what: 'pages of PDF per second, pdftotext with its start',
        value: speedOf(other, own.filter(isOrdinaryPdf)),
        unit: 'pages/s',
      });
  }
  report('documents', rows);
}

/** Its processor time is that of its processes, which run one after another. */
function speedOf(other: Other, cases: readonly DocumentCase[]): number {
  const start = performance.now();
  const pages = cases.reduce((sum, each) => sum + (readWith(other, each).pages ?? 0), 0);
  return Math.round((pages / (performance.now() - start)) * 1000);
}

function pick(
  outputs: Readonly<Record<string, CaseOutput>>,
  cases: readonly DocumentCase[],
): Record<string, CaseOutput> {
  return Object.fromEntries(cases.map(({ id }) => [id, outputs[id] ?? {}]));
}

function readInChild(wanted: readonly string[]): Record<string, CaseOutput> {
  const start = performance.now();
  const { stdout, status, signal } = runChild(['read', ...wanted]);
  const ms = Math.round(performance.now() - start);
  if (status === 0) {
    const { rss, outputs } = JSON.parse(stdout) as ChildResult;
    if (wanted.length > 1) return outputs;
    return Object.fromEntries(
      Object.entries(outputs).map(([id, output]) => [id, { ...output, ms, rss_mb: rss }]),
    );
  }
  const failure: CaseOutput = signal === null ? { crash: true } : { timeout: true };
  return Object.fromEntries(wanted.map((id) => [id, { ...failure, ms }]));
}

function speedInChild(): number {
  const { stdout, status } = runChild(['speed']);
  if (status !== 0) throw new Error(`the measurement ended with ${status}`);
  return Math.round(JSON.parse(stdout) as number);
}

function runChild(args: readonly string[]): ReturnType<typeof spawnSync> & { stdout: string } {
  return spawnSync(process.execPath, [...process.execArgv, script, ...args], {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    // One hostile file has its limit; all ordinary ones together have more.
    timeout: args.length === 2 ? TIMEOUT_MS + 1_000 : 600_000,
  });
}

interface Score {
  readonly mean: number;
  readonly hostile_mean: number;
}

/** Prints the scorer's table, and returns its last line. */
function scoreOf(
  outputs: Readonly<Record<string, CaseOutput>>,
  name: string,
  cases?: readonly DocumentCase[],
): Score {
  const folder = mkdtempSync(join(tmpdir(), 'bench-documents-'));
  try {
    const [file, manifest] = [join(folder, 'output.json'), join(folder, 'manifest.json')];
    writeFileSync(file, JSON.stringify(outputs));
    if (cases !== undefined) writeFileSync(manifest, JSON.stringify({ documents: cases }));
    const args = cases === undefined ? [SCORER, file] : [SCORER, file, manifest];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    console.error(`\n${name}\n${stdout}`);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Score;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
