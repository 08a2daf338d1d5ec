import type { PlannedModel } from '../route/plan.ts';
import type { CandidateState } from './attempt.ts';

export function newCandidate(candidate: PlannedModel): CandidateState {
  return { candidate, tries: 1, hasShrunk: false, contextTokens: undefined };
}
