import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import type { AskReport } from '#core/llm/ask.ts';
import type { LoopStep, LoopToolResult } from '#core/llm/tool-loop.ts';
import type { ToolContext } from '#core/tools/tool.ts';

/**
 * The finished steps of a tool loop as the checkpoint of its call. A call that is run again after a
 * restart asks no model twice, and repeats no call that writes.
 */
export interface LoopJournal {
  /** The steps of an earlier run. */
  readonly finished: readonly LoopStep[];
  /** Reports of the earlier answers, whose cost belongs to this call. */
  readonly reports: readonly AskReport[];
  add(step: LoopStep): Promise<void>;
}

/** A step as it is stored: a result has its failure as data, and no pictures. */
type StoredStep =
  | Extract<LoopStep, { readonly type: 'answer' | 'begun' }>
  | (Omit<Extract<LoopStep, { readonly type: 'result' }>, 'result'> & {
      readonly result: Omit<LoopToolResult, 'failure' | 'pictures'> & {
        readonly failure?: ErrorJson;
      };
    });

/** Texts of results beyond this are not stored; the model reads no more of them either. */
const MAX_RESULT_CHARS = 40_000;
const PICTURES_LOST = '[The pictures of this result were lost when EX-AI was restarted.]';

export function openLoopJournal(
  context: Pick<ToolContext, 'resumedFrom' | 'checkpoint' | 'storeCheckpoint'>,
): LoopJournal {
  const stored = [...readStored(context.resumedFrom)];
  const finished = stored.map(fromStored);
  const writing = new Set(
    finished.flatMap((step) => (step.type === 'begun' ? [placeOf(step)] : [])),
  );
  return {
    finished,
    reports: finished.flatMap((step) => (step.type === 'answer' ? [step.answer.report] : [])),
    async add(step) {
      if (step.type === 'begun') writing.add(placeOf(step));
      const writes = step.type !== 'answer' && writing.has(placeOf(step));
      // A call that reads is simply run again for its pictures.
      if (step.type === 'result' && step.result.pictures && !writes) return;
      stored.push(toStored(step));
      // Results of calls that only read are stored with the next answer.
      if (step.type !== 'answer' && !writes) return;
      const state = { loop: JSON.parse(JSON.stringify(stored)) as Json };
      // A call that writes waits until it is known that it was begun.
      if (writes) await context.storeCheckpoint(state);
      else context.checkpoint(state);
    },
  };
}

function placeOf({ round, index }: { readonly round: number; readonly index: number }): string {
  return `${round} ${index}`;
}

function toStored(step: LoopStep): StoredStep {
  if (step.type !== 'result') return step;
  const { failure, pictures, text, ...result } = step.result;
  const kept = text.slice(0, MAX_RESULT_CHARS).toWellFormed();
  return {
    ...step,
    result: {
      ...result,
      text: pictures ? `${kept}\n\n${PICTURES_LOST}`.trimStart() : kept,
      ...(failure && { failure: failure.toJSON() }),
    },
  };
}

function fromStored(step: StoredStep): LoopStep {
  if (step.type !== 'result') return step;
  const { failure, ...result } = step.result;
  return {
    ...step,
    result: { ...result, ...(failure && { failure: CallError.fromJSON(failure) }) },
  };
}

/** Another version may have written anything: what is not understood is run again. */
function readStored(state: Json | undefined): readonly StoredStep[] {
  const { loop } = (state ?? {}) as { readonly loop?: unknown };
  if (!Array.isArray(loop)) return [];
  const read = loop as readonly (Partial<StoredStep> | null)[];
  const bad = read.findIndex((step) => !isStep(step));
  return (bad === -1 ? read : read.slice(0, bad)) as readonly StoredStep[];
}

function isStep(step: Partial<StoredStep> | null): step is StoredStep {
  if (typeof step !== 'object' || step === null || !Number.isSafeInteger(step.round)) return false;
  switch (step.type) {
    case 'answer':
      return typeof step.answer?.text === 'string' && Array.isArray(step.answer.toolCalls);
    case 'begun':
      return Number.isSafeInteger(step.index);
    case 'result':
      return Number.isSafeInteger(step.index) && typeof step.result?.text === 'string';
    case undefined:
    default:
      return false;
  }
}
