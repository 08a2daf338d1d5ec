import { FOLDS } from '../pages.ts';
import { fitModel, scoreModel, type LabelledPage, type PageScore } from './fit.ts';

/**
 * Fits four fifths of the sites and scores the pages of the others, five times: what to expect of
 * pages that nothing was fitted to.
 */
export function crossValidate(pages: readonly LabelledPage[]): readonly PageScore[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const model = fitModel(pages.filter(({ truth }) => truth.fold !== fold));
    return scoreModel(
      model,
      pages.filter(({ truth }) => truth.fold === fold),
    );
  }).flat();
}
