/**
 * The main text of real pages of seven kinds, as word F1 and pages per CPU-second, beside other
 * extractors. Each runs in a process of its own. The pages are not part of the repository; without
 * them the bench reports "not run". Install the others with `npm ci --prefix bench/extraction/opponents`.
 */
import { spawnSync } from 'node:child_process';
import { report, type BenchRow } from '../report.ts';
import { CONTENDERS, hasContenders, type ContenderName } from './contenders.ts';
import { hasPages, readPages } from './pages.ts';
import { scoreContender, type ContenderScore } from './score.ts';
import { crossValidate } from './train/cross-validate.ts';
import { labelPage, type PageScore } from './train/fit.ts';

const MIN_F1 = 0.86;
const MIN_ARTICLE_F1 = 0.95;
const MIN_SPEED = 4;
const MAX_RSS_MB = 250;
/** Slow ones are measured once; the compiler has warmed up long before their end. */
const PASSES: Record<ContenderName, number> = {
  ours: 3,
  trafilatura: 2,
  Readability: 1,
  defuddle: 1,
};

/** The child that fits the vote again, each time without the sites that it is scored on. */
const OTHER_SITES = 'other-sites';

const [, script = '', child] = process.argv;
if (child === OTHER_SITES) {
  console.log(JSON.stringify(crossValidate([...readPages()].map(labelPage))));
} else if (child !== undefined) {
  const name = CONTENDERS.find((each) => each === child) ?? 'ours';
  console.log(JSON.stringify(await scoreContender(name, PASSES[name])));
} else if (hasPages()) measure();
else report('extraction', [{ what: 'not run: the pages are not here', value: 0, unit: 'pages' }]);

function measure(): void {
  const names = hasContenders() ? CONTENDERS : (['ours'] as const);
  const scores = names.map(scoreInChild);
  const [own, ...others] = scores as [ContenderScore, ...ContenderScore[]];
  const rows: BenchRow[] = scores.map(({ name, f1 }) => ({
    what: `F1, ${name}`,
    value: round(f1, 4),
    unit: 'F1',
    ...(name === 'ours' && { goal: `≥ ${MIN_F1}`, ok: f1 >= MIN_F1 }),
  }));
  rows.push(...rowsOfOtherSites());
  for (const type of Object.keys(own.byType)) rows.push(...rowsOfType(type, own, others));
  const slow = others.find(({ name }) => name === 'trafilatura');
  for (const { name, pagesPerCpuSecond } of scores)
    rows.push({
      what: `pages per CPU-second, ${name}`,
      value: round(pagesPerCpuSecond, 1),
      unit: 'pages/s',
      ...(name === 'ours' &&
        slow !== undefined && {
          ratio: round(pagesPerCpuSecond / slow.pagesPerCpuSecond, 2),
          goal: `≥ ${MIN_SPEED} × trafilatura with Markdown`,
          ok: pagesPerCpuSecond >= slow.pagesPerCpuSecond * MIN_SPEED,
        }),
    });
  for (const { name, maxRssMb, errors } of scores) {
    rows.push({
      what: `peak memory of the process, ${name}`,
      value: Math.round(maxRssMb),
      unit: 'MB',
      ...(name === 'ours' && { goal: `< ${MAX_RSS_MB} MB`, ok: maxRssMb < MAX_RSS_MB }),
    });
    if (errors > 0) rows.push({ what: `errors, ${name}`, value: errors, unit: 'pages' });
  }
  report('extraction', rows);
}

function rowsOfType(
  type: string,
  own: ContenderScore,
  others: readonly ContenderScore[],
): BenchRow[] {
  const best = Math.max(0, ...others.map(({ byType }) => byType[type] ?? 0));
  const goal = type === 'article' ? Math.max(MIN_ARTICLE_F1, best) : best;
  const value = own.byType[type] ?? 0;
  return [
    {
      what: `F1 of ${type}, ours`,
      value: round(value, 3),
      unit: 'F1',
      ...(others.length > 0 && { goal: `≥ ${round(goal, 3)}`, ok: value >= goal }),
    },
    ...others.map(({ name, byType }) => ({
      what: `F1 of ${type}, ${name}`,
      value: round(byType[type] ?? 0, 3),
      unit: 'F1',
    })),
  ];
}

/** The vote is fitted to these pages, so its F1 on them flatters; this is what carries over. */
function rowsOfOtherSites(): BenchRow[] {
  const pages = inChild<readonly PageScore[]>(OTHER_SITES);
  const mean = (type?: string): number => {
    const own = pages.filter((page) => type === undefined || page.type === type);
    return round(own.reduce((sum, { f1 }) => sum + f1, 0) / own.length, 4);
  };
  const what = 'ours, fitted to other sites alone';
  const types = [...new Set(pages.map(({ type }) => type))];
  return [
    { what: `F1, ${what}`, value: mean(), unit: 'F1' },
    ...types.map((type) => ({ what: `F1 of ${type}, ${what}`, value: mean(type), unit: 'F1' })),
  ];
}

function scoreInChild(name: ContenderName): ContenderScore {
  return inChild<ContenderScore>(name);
}

function inChild<T>(name: string): T {
  const { stdout, status } = spawnSync(process.execPath, [script, name], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
