import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';

/** What a fault test found; numbers are 0 where nothing was lost, hung or wrong. */
export interface SoakRow {
  /** What was done to the daemon. */
  readonly test: string;
  /** How much went through it, as `5,990 calls, 40 kills`. */
  readonly amount: string;
  /** Acknowledged work that is gone. */
  readonly lost: number;
  /** What was answered later than a second after its deadline, or never. */
  readonly hung: number;
  /** Wrong texts, wrong sums, work done twice, errors of an unexpected class. */
  readonly wrong: number;
  readonly note?: string;
}

type StoredRow = SoakRow & { readonly load: number };

/** One JSON object in each line; ignored by git. */
export const SOAK_RESULTS = 'test/soak/results/table.jsonl';

/** Adds a row to the table that `npm run soak` prints at its end. */
export function reportSoak(row: SoakRow, file = SOAK_RESULTS): void {
  const stored: StoredRow = { ...row, load: Math.round((loadavg()[0] ?? 0) * 10) / 10 };
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(stored)}\n`);
}

/** Adds the row of work that throws where something is lost. */
export async function reportWork(
  name: string,
  work: () => Promise<Pick<SoakRow, 'amount' | 'note'>>,
): Promise<void> {
  try {
    reportSoak({ test: name, lost: 0, hung: 0, wrong: 0, ...(await work()) });
  } catch (thrown) {
    const note = String(thrown).split('\n')[0] ?? '';
    reportSoak({ test: name, amount: 'not ended', lost: 0, hung: 0, wrong: 1, note });
    throw thrown;
  }
}

export function clearSoakTable(file = SOAK_RESULTS): void {
  rmSync(file, { force: true });
}

/** The rows of the last run as Markdown; undefined without any. */
export function soakTable(file = SOAK_RESULTS): string | undefined {
  if (!existsSync(file)) return undefined;
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredRow);
  if (rows.length === 0) return undefined;
  return [HEAD, ...rows.toSorted((a, b) => (a.test < b.test ? -1 : 1)).map(toLine)].join('\n');
}

const HEAD = '| test | amount | lost | hung | wrong | load | note |\n|---|---|---|---|---|---|---|';

function toLine({ test, amount, lost, hung, wrong, load, note = '' }: StoredRow): string {
  const cells = [test, amount, lost, hung, wrong, load, note];
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
