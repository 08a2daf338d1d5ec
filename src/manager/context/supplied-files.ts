import type { AskText } from '#core/llm/ask.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import {
  isDocumentText,
  isScan,
  type AskDocumentText,
  type FileSupply,
  type SuppliedText,
} from '#core/llm/file-supply.ts';
import type { ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { distinctNotices, notice, type Notice } from '#core/messages/notices.ts';
import { anySignal, LightAbortController } from '#core/net/abort.ts';
import { descriptorOf } from '#core/providers/list.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Model } from '#models/model.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';
import { measure, type MeasuredParts } from './measure.ts';
import { createSupplyFailures, unreadNotice } from './supply-failures.ts';
import { supplyRoutes } from './supply-routes.ts';

/** What recognising texts has used. */
export interface SupplyUsage {
  readonly model: Model;
  readonly usage: TokenUsage;
}

/** The documents of one request, as each provider gets them. */
export interface SuppliedFiles {
  /** Whether the candidate can be asked without any request for documents. */
  isSupplied(candidate: PlannedModel): boolean;
  /** Bytes that would be sent for the candidate, if nothing is cached. */
  bytes(candidate: PlannedModel): number;
  /** Uploads or recognises what the candidate needs. Rejects with the first error. */
  supply(
    candidate: PlannedModel,
    context: ProviderContext,
    onUsed: (used: SupplyUsage) => void,
  ): Promise<void>;
  /** The request with the texts of the candidate's provider. */
  measured(candidate: PlannedModel): MeasuredParts;
  notices(candidate: PlannedModel): readonly Notice[];
}

interface Supplied {
  readonly measured: MeasuredParts;
  readonly notices: readonly Notice[];
}

/** Undefined for a request without documents. */
export function createSuppliedFiles(
  measured: MeasuredParts,
  plan: Pick<AskPlan, 'candidates'>,
  principal: string,
  fileSupply: FileSupply | undefined,
): SuppliedFiles | undefined {
  const texts = measured.request.files ?? [];
  const documents = texts.filter(isDocumentText);
  if (!fileSupply || documents.length === 0) return undefined;
  const supplied = new Map<ProviderId, Supplied>();
  const failures = createSupplyFailures(texts, plan, fileSupply);
  const routesOf = (candidate: PlannedModel) =>
    supplyRoutes(documents, candidate, plan, fileSupply);

  function keep(provider: ProviderId, done: ReadonlyMap<AskDocumentText, SuppliedText>): void {
    const files = texts.map((text): AskText => {
      const found = isDocumentText(text) ? done.get(text) : undefined;
      return found ? { ...text, text: found.text } : text;
    });
    const isLocal = [...done.values()].every((each) => each.provider === undefined);
    supplied.set(provider, {
      measured: isLocal ? measured : measure({ ...measured.request, files }),
      notices: distinctNotices([...done.values()].flatMap(({ notices }) => notices)),
    });
  }

  return {
    isSupplied: (candidate) =>
      candidate.isLastResort ||
      supplied.has(candidate.provider) ||
      [...routesOf(candidate).values()].every(({ by }) => by === 'local'),
    bytes: (candidate) =>
      [...routesOf(candidate)].reduce(
        (sum, [{ document }, { by }]) => (by === 'local' ? sum : sum + document.size),
        0,
      ),
    async supply(candidate, context, onUsed) {
      const { provider } = candidate;
      const stop = new LightAbortController();
      const either = anySignal(context.signal, stop);
      const done = new Map<AskDocumentText, SuppliedText>();
      const work = [...routesOf(candidate)].map(async ([file, route]) => {
        try {
          const own = { ...context, signal: either.signal, principal, asked: provider };
          const text = await fileSupply.supply(file, route, own);
          done.set(file, text);
          const { used } = text;
          if (used) onUsed({ model: assumeModel(used.model, used.provider), usage: used.usage });
        } catch (thrown) {
          if (!either.signal.aborted) {
            failures.add(file, route, thrown);
            if (failures.mayLeaveOut(file)) {
              done.set(file, { text: file.text, notices: [unreadNotice(file, failures)] });
              return;
            }
          }
          // The first failure ends the others, which would be of no use.
          stop.abort(thrown);
          throw thrown;
        }
      });
      await Promise.allSettled(work);
      either.dispose();
      if (stop.aborted) throw stop.reason;
      keep(provider, done);
    },
    measured: (candidate) => supplied.get(candidate.provider)?.measured ?? measured,
    notices: (candidate) =>
      supplied.get(candidate.provider)?.notices ??
      documents.filter(isScan).map((file) => unreadNotice(file, failures)),
  };
}

const MB = 1_000_000;

/** What would be uploaded for a candidate, for explanations. */
export function describeSupply(
  { request }: Pick<MeasuredParts, 'request'>,
  candidate: PlannedModel,
  plan: Pick<AskPlan, 'candidates'>,
  fileSupply: Pick<FileSupply, 'route'>,
): readonly Notice[] {
  const documents = (request.files ?? []).filter(isDocumentText);
  const totals = new Map<string, { provider: ProviderId; as: 'upload' | 'ocr'; bytes: number[] }>();
  for (const [file, route] of supplyRoutes(documents, candidate, plan, fileSupply)) {
    if (route.by === 'local') continue;
    const provider = route.by === 'upload' ? route.provider : route.providers[0];
    const key = `${route.by} ${provider}`;
    const total = totals.get(key) ?? { provider, as: route.by, bytes: [] };
    total.bytes.push(file.document.size);
    totals.set(key, total);
  }
  return [...totals.values()].map(({ provider, as, bytes }) =>
    notice('files_to_upload', {
      provider: descriptorOf(provider).title,
      files: bytes.length,
      megabytes: Math.ceil((bytes.reduce((sum, each) => sum + each, 0) / MB) * 10) / 10,
      as,
    }),
  );
}
