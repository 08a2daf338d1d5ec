import type { PageBlock } from './blocks/block.ts';
import { readPageBlocks } from './blocks/read-page-blocks.ts';
import type { PageBlocks } from './blocks/collect-blocks.ts';
import { densityExtract } from './density-extractor.ts';
import { itemTypesOf } from './kind/item-types.ts';
import { readSignals } from './kind/signals.ts';
import { readHead, type HeadValues } from './metadata/head-values.ts';
import { readJsonLd, type SchemaObject } from './metadata/json-ld.ts';
import { ruleExtract } from './rule-extractor.ts';
import { blockText } from './text-view.ts';
import type { Tree } from './tree/node.ts';
import { featureRows } from './vote/features.ts';

/** All that is known of a page before anything is decided. */
export interface PageAnalysis {
  readonly page: PageBlocks;
  readonly head: HeadValues;
  readonly jsonLd: readonly SchemaObject[];
  readonly signals: readonly number[];
  /** Whether both extractors keep the block; the first has no opinion on a page without paragraphs. */
  isAgreed(block: PageBlock): boolean;
  /** Visits the row of each block, for the kinds of page as probabilities. */
  visitRows(kinds: readonly number[], visit: (row: Float64Array, index: number) => void): void;
}

export function analyse(tree: Tree, url: string | undefined): PageAnalysis {
  const page = readPageBlocks(tree);
  const head = readHead(tree);
  const jsonLd = readJsonLd(tree);
  const density = densityExtract(page);
  const rule = ruleExtract(page);
  const ogType = head.meta.get('og:type');
  const source = { url, ogType, jsonLd, itemTypes: itemTypesOf(page.areas) };
  const signals = readSignals(source, page, density.top?.chars ?? 0, blockText);
  return {
    page,
    head,
    jsonLd,
    signals,
    isAgreed: ({ index }) =>
      rule.verdicts[index] === 2 && (density.top === undefined || density.verdicts[index] === 1),
    visitRows: (kinds, visit) => featureRows(page, density, rule, kinds, visit),
  };
}
