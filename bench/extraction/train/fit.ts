/** Fits the kinds of page and the vote to labelled pages, and scores them on others. */
import { analyse, type PageAnalysis } from '../../../src/extract/html/analyse.ts';
import { PAGE_KINDS } from '../../../src/core/extract/extractor.ts';
import type { PageBlock } from '../../../src/extract/html/blocks/block.ts';
import { HTML_LIMITS } from '../../../src/extract/html/limits.ts';
import { parseHtml } from '../../../src/extract/html/tree/parse.ts';
import { VOTE_FEATURES } from '../../../src/extract/html/vote/features.ts';
import { chooseBlocks } from '../../../src/extract/html/vote/choose.ts';
import { compileTrees, probability, type Trees } from '../../../src/extract/html/vote/trees.ts';
import { FOLDS, type TruePage } from '../pages.ts';
import { wordF1, wordsOf } from '../word-f1.ts';
import { boost, createRandom, type BoostOptions } from './boost.ts';
import { labelBlocks, type LabelledBlock } from './labels.ts';

export interface LabelledPage {
  readonly truth: TruePage;
  readonly analysis: PageAnalysis;
  readonly blocks: readonly LabelledBlock[];
  readonly expected: readonly string[];
}

export interface Model {
  readonly kinds: readonly Trees[];
  readonly vote: Trees;
}

export const VOTE: BoostOptions = {
  trees: 90,
  depth: 5,
  rate: 0.09,
  lambda: 2,
  minWeight: 0.2,
  features: 0.3,
  sample: 0.7,
};
const KINDS: BoostOptions = {
  trees: 24,
  depth: 3,
  rate: 0.2,
  lambda: 1,
  minWeight: 0.5,
  features: 0.5,
  sample: 0.8,
};
/** A page with more blocks is sampled: large pages add time, not knowledge. */
const MAX_ROWS = 150;

export function labelPage(truth: TruePage): LabelledPage {
  const analysis = analyse(parseHtml(truth.html, HTML_LIMITS, 'html'), truth.url);
  return {
    truth,
    analysis,
    blocks: labelBlocks(analysis.page.blocks, truth.text),
    expected: wordsOf(truth.text),
  };
}

export function fitModel(pages: readonly LabelledPage[]): Model {
  const kinds = fitKinds(pages);
  // The vote learns from kinds that were predicted by trees that had not seen the page.
  const guessed = new Map<LabelledPage, number[]>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const trees = fitKinds(pages.filter((_, i) => i % FOLDS !== fold));
    pages.forEach((page, i) => {
      if (i % FOLDS === fold) guessed.set(page, kindsOf(trees, page));
    });
  }
  const rows = pages.map((page) => rowsOf(page, guessed.get(page) ?? []));
  return { kinds, vote: fitVote(pages, rows) };
}

function rowsOf(
  { analysis }: LabelledPage,
  kinds: readonly number[],
): { rows: Float64Array; width: number } {
  const width = VOTE_FEATURES.length + kinds.length;
  const rows = new Float64Array(analysis.page.blocks.length * width);
  analysis.visitRows(kinds, (row, index) => rows.set(row, index * width));
  return { rows, width };
}

function fitVote(
  pages: readonly LabelledPage[],
  rows: readonly { rows: Float64Array; width: number }[],
): Trees {
  const width = rows[0]?.width ?? 0;
  const chosen = sampleBlocks(pages);
  const count = chosen.length;
  const all = {
    rows: new Float64Array(count * width),
    width,
    count,
    labels: new Float64Array(count),
    weights: new Float64Array(count),
  };
  chosen.forEach(({ page, index, weight }, at) => {
    const from = index * width;
    all.rows.set(rows[page]?.rows.subarray(from, from + width) ?? [], at * width);
    all.labels[at] = pages[page]?.blocks[index]?.isTrue === true ? 1 : 0;
    all.weights[at] = weight;
  });
  return boost(all, VOTE);
}

interface ChosenBlock {
  readonly page: number;
  readonly index: number;
  readonly weight: number;
}

/** A block weighs what it moves the F1 of its page; long pages weigh only a little more than short ones. */
function sampleBlocks(pages: readonly LabelledPage[]): ChosenBlock[] {
  const random = createRandom(3);
  return pages.flatMap(({ blocks, expected }, page) => {
    const own: ChosenBlock[] = [];
    blocks.forEach(({ words, isTrue }, index) => {
      if (isTrue === undefined) return;
      const weight = Math.min(1, (words.length + 1) / (expected.length + 60));
      own.push({ page, index, weight });
    });
    const sum = sumOfWeights(own);
    const share = MAX_ROWS / own.length;
    const used = own.filter(() => share >= 1 || random() < share);
    const scale = (2 * Math.sqrt(sum)) / Math.max(1e-9, sumOfWeights(used));
    return used.map((block) => ({ ...block, weight: block.weight * scale }));
  });
}

function sumOfWeights(blocks: readonly ChosenBlock[]): number {
  return blocks.reduce((sum, { weight }) => sum + weight, 0);
}

function fitKinds(pages: readonly LabelledPage[]): Trees[] {
  const width = pages[0]?.analysis.signals.length ?? 0;
  const rows = new Float64Array(pages.length * width);
  pages.forEach(({ analysis }, i) => rows.set(analysis.signals, i * width));
  return PAGE_KINDS.map((kind) =>
    boost(
      {
        rows,
        width,
        count: pages.length,
        labels: Float64Array.from(pages, ({ truth }) => (truth.type === kind ? 1 : 0)),
        weights: new Float64Array(pages.length).fill(1),
      },
      KINDS,
    ),
  );
}

function kindsOf(trees: readonly Trees[], { analysis }: LabelledPage): number[] {
  return trees.map((each) => probability(compileTrees(each), analysis.signals));
}

/** How one page came out. */
export interface PageScore {
  readonly type: string;
  readonly f1: number;
  readonly isKindRight: boolean;
}

export function scoreModel(model: Model, pages: readonly LabelledPage[]): PageScore[] {
  const vote = compileTrees(model.vote);
  return pages.map((page) => {
    const kinds = kindsOf(model.kinds, page);
    const kind = PAGE_KINDS[kinds.indexOf(Math.max(...kinds))] ?? 'article';
    const { blocks } = page.analysis.page;
    const chances = new Float64Array(blocks.length);
    page.analysis.visitRows(kinds, (row, i) => {
      chances[i] = probability(vote, row);
    });
    const kept = chooseBlocks(page.analysis, kind, chances);
    const found = page.blocks.flatMap(({ words }, i) =>
      // The text view leaves captions out.
      kept.has(blocks[i] as PageBlock) && blocks[i]?.frame?.kind !== 'caption' ? words : [],
    );
    const { type } = page.truth;
    return { type, f1: wordF1(found, page.expected), isKindRight: kind === type };
  });
}
