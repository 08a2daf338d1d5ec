import { type AskDocumentText, type FileSupply, type SupplyRoute } from '#core/llm/file-supply.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';

/** How each document would reach a candidate. Only providers of the plan are sent documents. */
export function supplyRoutes(
  documents: readonly AskDocumentText[],
  candidate: PlannedModel,
  { candidates }: Pick<AskPlan, 'candidates'>,
  fileSupply: Pick<FileSupply, 'route'>,
): ReadonlyMap<AskDocumentText, SupplyRoute> {
  const planned = candidates.flatMap(({ provider, isLastResort }) =>
    isLastResort ? [] : [provider],
  );
  const allowed = [...new Set([...planned, candidate.provider])];
  return new Map(
    documents.map((file) => [file, fileSupply.route(file, candidate.provider, allowed)] as const),
  );
}
