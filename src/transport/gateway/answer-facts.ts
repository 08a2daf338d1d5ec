import type { Attempt, Envelope } from '#core/envelope.schema.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { Finished } from './dialect.ts';

/** What EX-AI says of an answer beside it. */
export interface AnswerFacts {
  readonly req_id: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly attempts: readonly AttemptFacts[];
  readonly because: readonly string[];
  /** Left out where there are none, as are `seams`. */
  readonly notices?: readonly string[];
  readonly seams?: NonNullable<Envelope['route']>['seams'];
  readonly cost_usd: number;
  /** Where nobody knows the price of some of it, which is then not in the cost. */
  readonly unpriced?: true;
}

export type AttemptFacts = Pick<
  Attempt,
  'attempt' | 'provider' | 'model' | 'outcome' | 'elapsed_ms'
>;

/** `more`: notices that only whoever writes the answer knows. */
export function answerFacts(
  { reqId, envelope }: Pick<Finished, 'reqId' | 'envelope'>,
  more: readonly Notice[] = [],
): AnswerFacts {
  const { provider, model, route, usage } = envelope;
  const { because = [], notices = [], seams = [] } = route ?? {};
  const told = more.length === 0 ? notices : [...notices, ...more.map(baseRenderer.notice)];
  return {
    req_id: reqId,
    provider,
    model,
    attempts: attemptFacts(envelope),
    because,
    ...(told.length > 0 && { notices: told }),
    ...(seams.length > 0 && { seams }),
    cost_usd: usage?.cost_usd ?? 0,
    ...(usage?.unpriced && { unpriced: true as const }),
  };
}

/** Who was asked, in turn, and how that went. */
export function attemptFacts({ route }: Pick<Envelope, 'route'>): readonly AttemptFacts[] {
  const { attempts = [] } = route ?? {};
  return attempts.map(({ attempt, provider, model, outcome, elapsed_ms }) => ({
    attempt,
    provider,
    model,
    outcome,
    elapsed_ms,
  }));
}
