import type { CallError } from '#core/errors/call-error.ts';
import { hasDocumentText } from '#core/extract/document-text.ts';
import type { AskText } from '#core/llm/ask.ts';
import { fileFailure, isAboutFile } from '#core/llm/file-failure.ts';
import {
  isScan,
  type AskDocumentText,
  type FileSupply,
  type SupplyRoute,
} from '#core/llm/file-supply.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { AskPlan } from '../route/plan.ts';
import { supplyRoutes } from './supply-routes.ts';

/** Which documents providers could not read. */
export interface SupplyFailures {
  add(file: AskDocumentText, route: SupplyRoute, thrown: unknown): void;
  /** What the first provider said. */
  first(file: AskDocumentText): CallError | undefined;
  /** No provider of the plan can read the scan, and the question has other texts. */
  mayLeaveOut(file: AskDocumentText): boolean;
}

export function createSupplyFailures(
  texts: readonly AskText[],
  plan: Pick<AskPlan, 'candidates'>,
  fileSupply: Pick<FileSupply, 'route'>,
): SupplyFailures {
  const failures = new Map<AskDocumentText, CallError>();
  const refusedBy = new Map<AskDocumentText, Set<ProviderId>>();
  const hasOtherText = (file: AskText) =>
    texts.some((each) => each !== file && hasDocumentText(each.text));
  return {
    add(file, route, thrown) {
      const failure = fileFailure(thrown);
      if (!failures.has(file)) failures.set(file, failure);
      if (!isAboutFile(failure)) return;
      const refused = refusedBy.get(file) ?? new Set();
      for (const reader of readersOf(route)) refused.add(reader);
      refusedBy.set(file, refused);
    },
    first: (file) => failures.get(file),
    mayLeaveOut(file) {
      const refused = refusedBy.get(file);
      if (!refused || !isScan(file) || !hasOtherText(file)) return false;
      return plan.candidates
        .filter(({ isLastResort }) => !isLastResort)
        .flatMap((candidate) => [...supplyRoutes([file], candidate, plan, fileSupply).values()])
        .every((route) => readersOf(route).every((reader) => refused.has(reader)));
    },
  };
}

function readersOf(route: SupplyRoute): readonly ProviderId[] {
  switch (route.by) {
    case 'local':
      return [];
    case 'upload':
      return [route.provider];
    case 'ocr':
      return route.providers;
  }
}

export function unreadNotice(
  file: AskDocumentText,
  failures: Pick<SupplyFailures, 'first'>,
): Notice {
  const error = failures.first(file);
  return notice('scan_not_read', {
    file: file.name,
    pages: file.document.scannedPages,
    ...(error && { error: errorText(error) }),
  });
}
