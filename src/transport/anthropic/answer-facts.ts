import type { Envelope } from '#core/envelope.schema.ts';

/** What we say of an answer beside it: who was asked, why, and what it cost. */
export function answerFacts(
  { req_id, provider, model, route, usage }: Envelope,
  more: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const { attempts = [], because = [], notices = [], seams = [] } = route ?? {};
  const told = more.length === 0 ? notices : [...notices, ...more];
  return {
    req_id,
    provider,
    model,
    attempts: attempts.map((each) => ({
      attempt: each.attempt,
      provider: each.provider,
      model: each.model,
      outcome: each.outcome,
      elapsed_ms: each.elapsed_ms,
    })),
    because,
    ...(told.length > 0 && { notices: told }),
    ...(seams.length > 0 && { seams }),
    cost_usd: usage?.cost_usd ?? 0,
  };
}
