import type { Crumbs } from './crumbs.ts';
import type { Answered } from './load.ts';
import type { Phase } from './phase.ts';

export const isGood = ({ envelope, question }: Answered): boolean =>
  envelope.status === 'success' && envelope.content === question.answer;

/** A line for people: how it went while it lasted, and how soon it was over. */
export function describePhase(
  { outage, beganAtMs, endedAtMs, during, after }: Phase,
  { changes, attempts }: Crumbs,
): string {
  const good = during.filter(isGood).length;
  const took = during.map(({ elapsedMs }) => elapsedMs);
  const several = during.filter(({ envelope }) => (envelope.route?.attempts.length ?? 0) > 1);
  const own = changes.filter(({ key }) => outage.vendor && key.startsWith(`${outage.vendor}/`));
  const firstOpened = own.find(({ to, atMs }) => to === 'open' && atMs >= beganAtMs);
  const lastClosed = own.findLast(({ to, atMs }) => to === 'closed' && atMs >= endedAtMs);
  const failedBefore = attempts.filter(
    ({ atMs, outcome }) =>
      outcome !== 'ok' && atMs >= beganAtMs && atMs < (firstOpened?.atMs ?? endedAtMs),
  );
  return [
    `${outage.title}: ${good} of ${during.length} answered, then ${after.filter(isGood).length} of ${after.length}`,
    `${percentile(took, 50)} ms in the middle, ${percentile(took, 99)} ms at 99 %, ${percentile(took, 100)} ms at most`,
    `${several.length} with more than one attempt`,
    ...(firstOpened
      ? [
          `opened after ${Math.round(firstOpened.atMs - beganAtMs)} ms and ${failedBefore.length} failures`,
        ]
      : []),
    ...(lastClosed
      ? [`all closed ${Math.round(lastClosed.atMs - endedAtMs)} ms after it was over`]
      : []),
  ].join('; ');
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100));
  return Math.round(sorted[at] ?? Number.NaN);
}
