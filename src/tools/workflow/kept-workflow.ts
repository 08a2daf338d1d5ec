import * as z from 'zod';
import type { Json } from '#core/json.ts';
import { SEVERITIES } from './finding.ts';
import type { WorkflowState } from './state.ts';

/** What a thread keeps of a workflow. */
export interface KeptWorkflow {
  readonly state: WorkflowState;
  /** Numbers of the turns that its steps are, those gone back before included: the expert gets them as findings. */
  readonly said: readonly number[];
}

const texts = z.array(z.string());

const Kept = z.object({
  version: z.literal(2),
  said: z.array(z.int().min(1)),
  totalSteps: z.int().min(1),
  isOver: z.boolean(),
  steps: z.array(
    z.object({
      number: z.int().min(1),
      step: z.string(),
      findings: z.string(),
      confidence: z.string().exactOptional(),
      hypothesis: z.string().exactOptional(),
      filesChecked: texts,
      relevantFiles: texts,
      relevantContext: texts,
      root: z.string().exactOptional(),
      fields: z.record(z.string(), z.json()).exactOptional(),
      of: z.string().exactOptional(),
      issues: z.array(
        z.object({
          severity: z.enum(SEVERITIES),
          description: z.string(),
          file: z.string().exactOptional(),
          line: z.number().exactOptional(),
          fix: z.string().exactOptional(),
        }),
      ),
    }),
  ),
});

export function writeKept({ state, said }: KeptWorkflow): Json {
  const kept: z.input<typeof Kept> = {
    version: 2,
    said: [...said],
    totalSteps: state.totalSteps,
    isOver: state.isOver,
    // Of every step its own members alone, and in one order.
    steps: Kept.shape.steps.parse(state.steps),
  };
  return kept as Json;
}

/** Nothing where there is none, or none that can be understood: then the caller is told to begin. */
export function readKept(value: Json): KeptWorkflow | undefined {
  const { success, data } = Kept.safeParse(value);
  if (!success) return undefined;
  const { steps, totalSteps, isOver, said } = data;
  if (steps.some(({ number }, index) => number !== index + 1)) return undefined;
  return { state: { steps, totalSteps, isOver }, said };
}
