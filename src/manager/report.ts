import type { AskReport } from '#core/ask.ts';
import type { Plan } from './plan.ts';
import type { Ledger } from './run/ledger.ts';
import type { Ran } from './run/run-plan.ts';

/** How asking went, for envelopes and records. */
export function reportOf(plan: Plan | undefined, ran: Ran, ledger: Ledger): AskReport {
  const answered = ran.is === 'answered' ? ran.candidate : undefined;
  return {
    ...(answered && { provider: answered.provider, model: answered.model }),
    ...(plan && { class: plan.class, rule: plan.rule }),
    because: [...(plan?.because ?? []), ...ran.because],
    attempts: ledger.attempts,
    notices: [...(plan?.notices ?? []), ...ran.notices],
    ...ledger.totals(),
    ...(ran.is === 'answered' && ran.seams.length > 0 && { seams: ran.seams }),
    quality: answered?.isLastResort === true ? 'degraded' : 'full',
    ...(ran.is === 'failed' && ran.partial !== '' && { partial: ran.partial }),
  };
}
