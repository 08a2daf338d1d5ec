import type { AskReport } from '#core/ask.ts';
import type { Draft } from '#core/draft.ts';
import type { Plan } from './plan.ts';
import type { Ledger } from './run/ledger.ts';
import type { Ran } from './run/run-plan.ts';

/** How asking went, for envelopes and records. */
export function reportOf(plan: Plan | undefined, ran: Ran, ledger: Ledger): AskReport {
  const answered = ran.is === 'answered' ? ran.candidate : undefined;
  const { usage, costMicroUsd, costKnown } = ledger.totals();
  const report: Draft<AskReport> = {
    reasons: plan ? [...plan.reasons, ...ran.reasons] : ran.reasons,
    attempts: ledger.attempts,
    notices: plan ? [...plan.notices, ...ran.notices] : ran.notices,
    costMicroUsd,
    costKnown,
    quality: answered?.isLastResort === true ? 'degraded' : 'full',
  };
  if (answered) {
    report.provider = answered.provider;
    report.model = answered.model;
  }
  if (plan) {
    report.class = plan.class;
    report.rule = plan.rule;
  }
  if (usage) report.usage = usage;
  if (ran.is === 'answered' && ran.seams.length > 0) report.seams = ran.seams;
  if (ran.is === 'failed' && ran.partial !== '') report.partial = ran.partial;
  return report;
}
