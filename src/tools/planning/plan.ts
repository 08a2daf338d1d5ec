import * as z from 'zod';
import type { Json } from '#core/json.ts';

/** One step as it was told; its number is its place. */
export interface PlanStep {
  readonly number: number;
  readonly text: string;
  /** The step whose text it replaces. That one is no revision itself. */
  readonly revises?: number | undefined;
  /** The branch it belongs to; absent on the trunk. */
  readonly branch?: string | undefined;
  /** Where its branch leaves, on the first step of a branch. */
  readonly from?: number | undefined;
}

/** All that was told, in the order it was told: what is revised or branched off follows from it, and nothing is forgotten. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly totalSteps: number;
  readonly isComplete: boolean;
}

export const NO_PLAN: Plan = { steps: [], totalSteps: 0, isComplete: false };

const number = z.int().min(1);
const Kept = z.object({
  steps: z.array(
    z.object({
      number,
      text: z.string(),
      revises: number.optional(),
      branch: z.string().optional(),
      from: number.optional(),
    }),
  ),
  totalSteps: number,
  isComplete: z.boolean(),
});

/** What a conversation kept of one; nothing where it kept none. */
export function readPlan(kept: Json): Plan {
  return Kept.safeParse(kept).data ?? NO_PLAN;
}

export function toJson(plan: Plan): Json {
  return {
    ...plan,
    steps: plan.steps.map(({ number: at, text, revises, branch, from }) => ({
      number: at,
      text,
      ...(revises !== undefined && { revises }),
      ...(branch !== undefined && { branch }),
      ...(from !== undefined && { from }),
    })),
  };
}
