import { OWNER } from '#auth/authenticator.ts';
import type { UsageAmounts } from '#core/stores/usage.ts';
import { readUsageRequest } from '#core/diagnostics/usage-report.schema.ts';
import {
  USAGE_METHODS,
  type SpendingReport,
  type UsageReport,
} from '#core/diagnostics/usage-report.ts';
import { usageResource } from '#tools/resources/usage.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

interface UsageContext {
  readonly store: Pick<FeatureContext['store'], 'usage'>;
  readonly ops: Pick<FeatureContext['ops'], 'spending'>;
}

/**
 * Usage and its cost: a resource for each principal, and reports over all of them for the owner.
 */
export function usageFeature({ store: { usage }, ops }: UsageContext): Feature {
  return {
    name: 'usage',
    resources: [usageResource({ ops, usage })],
    adminMethods: {
      [USAGE_METHODS.report]: async (params): Promise<UsageReport> => {
        const request = readUsageRequest(params);
        const rows = await usage.sums(request.by, request);
        return { ...request, rows, total: rows.reduce(plus, NOTHING) };
      },
      [USAGE_METHODS.spending]: (): Promise<SpendingReport> => ops.spending(OWNER),
    },
  };
}

const NOTHING: UsageAmounts = {
  calls: 0,
  input: 0,
  output: 0,
  cached: 0,
  reasoning: 0,
  costMicroUsd: 0,
  unpriced: 0,
  estimated: 0,
};

function plus(a: UsageAmounts, b: UsageAmounts): UsageAmounts {
  return {
    calls: a.calls + b.calls,
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    reasoning: a.reasoning + b.reasoning,
    costMicroUsd: a.costMicroUsd + b.costMicroUsd,
    unpriced: a.unpriced + b.unpriced,
    estimated: a.estimated + b.estimated,
  };
}
