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
  for (const { provider, model, usage } of vendors) {
    if (!usage) continue;
    const at = left.findIndex(
      (row) =>
        row.provider === provider &&
        row.model === model &&
        row.input === usage.input &&
        row.output === usage.output &&
        row.cached === usage.cached &&
        row.reasoning === usage.reasoning,
    );
    if (at === -1) return `${provider}/${model} charged ${JSON.stringify(usage)}, not on disk`;
    left.splice(at, 1);
  }
  // What broke off before the vendor had counted is guessed.
  for (const { provider, model, usage, hasSpoken } of vendors) {
    if (usage || !hasSpoken) continue;
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
