import { PAGE_KINDS, type PageKind } from '#core/extract/extractor.ts';
import { compileTrees, type CompiledTrees, type Trees } from './trees.ts';
import data from './model.json' with { type: 'json' };

/** The trees of the vote and of the kinds of page, from model.json. */
export interface VoteModel {
  readonly vote: CompiledTrees;
  readonly kinds: readonly (readonly [PageKind, CompiledTrees])[];
}

const file: {
  readonly features: number;
  readonly kinds: Record<PageKind, Trees>;
  readonly vote: Trees;
} = data;

export const VOTE_MODEL: VoteModel = {
  vote: compileTrees(file.vote),
  kinds: PAGE_KINDS.map((kind) => [kind, compileTrees(file.kinds[kind])] as const),
};

/** How many numbers a row has; the trees fit no other. */
export const MODEL_FEATURES = file.features;
