/**
 * `npx tsx bench/extraction/train.ts`: writes the decision trees of the vote and of the kinds of
 * page. First it fits four fifths of the sites and scores the pages of the others, five times, which
 * is what to expect of pages that nothing was fitted to. `--check` stops there, `--fit` skips it.
 */
import { writeFileSync } from 'node:fs';
import { VOTE_FEATURES } from '../../src/extract/html/vote/features.ts';
import { PAGE_KINDS } from '../../src/core/extract/extractor.ts';
import type { Trees } from '../../src/extract/html/vote/trees.ts';
import { hasPages, readPages } from './pages.ts';
import { crossValidate } from './train/cross-validate.ts';
import { fitModel, labelPage, scoreModel, type PageScore } from './train/fit.ts';

const TARGET = 'src/extract/html/vote/model.json';

if (hasPages()) {
  const pages = [...readPages()].map(labelPage);
  if (!process.argv.includes('--fit')) {
    console.log(`pages of other sites: ${describe(crossValidate(pages))}`);
  }
  if (!process.argv.includes('--check')) {
    const model = fitModel(pages);
    console.log(`fitted to all: ${describe(scoreModel(model, pages))}`);
    const file = {
      features: VOTE_FEATURES.length + PAGE_KINDS.length,
      kinds: Object.fromEntries(
        PAGE_KINDS.map((kind, i) => [kind, rounded(model.kinds[i] as Trees)]),
      ),
      vote: rounded(model.vote),
    };
    writeFileSync(TARGET, `${JSON.stringify(file)}\n`);
  }
} else console.log('not run: the pages are not here');

function describe(scores: readonly PageScore[]): string {
  const mean = (values: readonly number[]): string =>
    (values.reduce((a, b) => a + b, 0) / values.length).toFixed(4);
  const types = [...new Set(scores.map(({ type }) => type))].map((type) => {
    const own = scores.filter((score) => score.type === type);
    return `${type} ${mean(own.map(({ f1 }) => f1))}`;
  });
  const kinds = mean(scores.map(({ isKindRight }) => (isKindRight ? 1 : 0)));
  return `F1 ${mean(scores.map(({ f1 }) => f1))}, kind ${kinds}, ${types.join(', ')}`;
}

function rounded({ base, roots, feature, threshold, left }: Trees): Trees {
  const digits = (value: number): number => Number(value.toPrecision(5));
  return { base: digits(base), roots, feature, threshold: threshold.map(digits), left };
}
