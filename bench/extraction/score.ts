/** Runs one extractor over the pages, in a process of its own. */
import { openContender, type ContenderName } from './contenders.ts';
import { readPages } from './pages.ts';
import { plainText, wordF1, wordsOf } from './word-f1.ts';

export interface ContenderScore {
  readonly name: ContenderName;
  readonly f1: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly pagesPerCpuSecond: number;
  readonly maxRssMb: number;
  readonly errors: number;
}

/** The first pass warms the compiler up; a daemon reads pages for days. */
export async function scoreContender(name: ContenderName, passes: number): Promise<ContenderScore> {
  const contender = await openContender(name);
  const byType: Record<string, number[]> = {};
  let errors = 0;
  let count = 0;
  let best = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < passes; pass++) {
    let cpuUs = 0;
    count = 0;
    for (const { url, type, text, html } of readPages()) {
      count++;
      const input = contender.prepare(html) as never;
      const before = process.cpuUsage();
      let found = '';
      try {
        const { markdown, text: plain } = await contender.extract(input, url);
        const used = process.cpuUsage(before);
        cpuUs += used.user + used.system;
        found = plain ?? (markdown === undefined ? '' : plainText(markdown));
      } catch {
        errors++; // It counts as nothing found.
      }
      if (pass > 0) continue;
      (byType[type] ??= []).push(wordF1(wordsOf(found), wordsOf(text)));
    }
    best = Math.min(best, cpuUs);
  }
  return {
    name,
    f1: mean(Object.values(byType).flat()),
    byType: Object.fromEntries(Object.entries(byType).map(([type, all]) => [type, mean(all)])),
    pagesPerCpuSecond: (count / best) * 1e6,
    maxRssMb: process.resourceUsage().maxRSS / 1024,
    errors,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
