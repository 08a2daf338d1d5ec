import type { UsageRecord } from '#core/stores/calls.ts';
import type { Served } from './vendor-book.ts';

/** What is wrong with the usage on disk of a call, by what the vendors charged for it. */
export function usageFault(
  rows: readonly UsageRecord[],
  served: readonly Served[],
  /** `at_least`: there may be more, of what was asked besides. */
  extent: 'exactly' | 'at_least',
): string | undefined {
  const left = [...rows];
  // A quotation is nobody's work, and is not counted.
  const vendors = served.filter(({ provider }) => provider !== 'extractive');
  const isOf = (row: UsageRecord, { provider, model }: Served) =>
    row.provider === provider && row.model === model;
  // Of a lost one the prompt is guessed, if what is charged was not told in time.
  for (const served of vendors) {
    const { provider, model, isLost, isAdmitted, usage } = served;
    if (!isLost || !isAdmitted) continue;
    const told = left.findIndex((row) => isOf(row, served) && usage && isCharged(row, usage));
    const at =
      told === -1
        ? left.findIndex((row) => isOf(row, served) && row.estimated && row.output === 0)
        : told;
    if (at === -1 && isLost === 'perhaps') continue;
    if (at === -1) return `the prompt of ${provider}/${model}, which was cancelled, is not on disk`;
    left.splice(at, 1);
  }
  for (const { provider, model, usage, isLost } of vendors) {
    if (!usage || isLost === true) continue;
    const at = left.findIndex(
      (row) => row.provider === provider && row.model === model && isCharged(row, usage),
    );
    if (at === -1) return `${provider}/${model} charged ${JSON.stringify(usage)}, not on disk`;
    left.splice(at, 1);
  }
  // What broke off before the vendor had counted is guessed.
  for (const { provider, model, usage, hasSpoken, isLost } of vendors) {
    if (usage || !hasSpoken || isLost === true) continue;
    const at = left.findIndex(
      (row) => row.provider === provider && row.model === model && row.estimated,
    );
    if (at === -1) return `what ${provider}/${model} said before it broke off is not on disk`;
    left.splice(at, 1);
  }
  return extent === 'exactly' && left.length > 0
    ? `${left.length} rows are on disk that nobody charged`
    : undefined;
}

function isCharged(row: UsageRecord, usage: NonNullable<Served['usage']>): boolean {
  return (
    row.input === usage.input &&
    row.output === usage.output &&
    row.cached === usage.cached &&
    row.reasoning === usage.reasoning
  );
}
