import { toUsd } from '#core/text/money.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Resource } from '#core/tools/resource.ts';
import type { UsageAmounts, UsageStore, UsageSum } from '#core/stores/usage.ts';
import { ICON } from '../icon.ts';
import { spendingContent } from '../reporting/spending.ts';
import { isMachineOwner } from '../reporting/visibility.ts';

export const USAGE_URI = 'exai://usage';
const MIME_TYPE = 'application/json';
/** The most expensive models; the others are one row. */
const MAX_MODELS = 20;

export interface UsageDeps {
  readonly ops: Pick<Diagnostics, 'spending'>;
  readonly usage: Pick<UsageStore, 'sums'>;
}

/** Usage of today and this month: the owner sees that of all clients, a client its own. */
export function usageResource({ ops, usage }: UsageDeps): Resource {
  return {
    uri: USAGE_URI,
    subscribable: true,
    name: 'usage',
    title: 'Usage',
    description: 'Requests to models, tokens and cost of today and of this month, in UTC.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'status',
    async read({ caller }) {
      const today = await ops.spending(caller);
      const seesAll = isMachineOwner(caller);
      const from = `${today.day.slice(0, 'yyyy-mm'.length)}-01`;
      const days = { fromDay: from, toDay: today.day };
      const whose = seesAll ? {} : { principal: caller.principal };
      const rows = await usage.sums('model', { ...whose, ...days });
      const text = JSON.stringify({
        of: seesAll ? 'everybody' : 'you',
        today: spendingContent(today),
        month: { from, to: today.day, ...totalOf(rows), models: modelsOf(rows) },
      });
      return [{ uri: USAGE_URI, mimeType: MIME_TYPE, text }];
    },
  };
}

function modelsOf(rows: readonly UsageSum[]) {
  const others = rows.slice(MAX_MODELS);
  return [
    ...rows.slice(0, MAX_MODELS).map((row) => ({
      model: row.name,
      ...(row.provider !== undefined && { provider: row.provider }),
      ...amountsOf(row),
    })),
    ...(others.length > 0 ? [{ others: others.length, ...totalOf(others) }] : []),
  ];
}

function totalOf(rows: readonly UsageAmounts[]) {
  const sum = (name: keyof UsageAmounts) => rows.reduce((all, row) => all + row[name], 0);
  return amountsOf({
    calls: sum('calls'),
    input: sum('input'),
    output: sum('output'),
    cached: sum('cached'),
    reasoning: sum('reasoning'),
    costMicroUsd: sum('costMicroUsd'),
    unpriced: sum('unpriced'),
    estimated: sum('estimated'),
  });
}

/** Amounts by their names on the wire. */
function amountsOf(amounts: UsageAmounts) {
  const { calls, input, output, cached, reasoning, costMicroUsd, unpriced, estimated } = amounts;
  return {
    requests: calls,
    input,
    output,
    cached,
    reasoning,
    cost_usd: toUsd(costMicroUsd),
    unpriced,
    estimated,
  };
}
