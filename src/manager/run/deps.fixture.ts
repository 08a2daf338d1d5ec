import type { Metrics } from '#core/telemetry/telemetry.ts';
import { DEFAULT_RULES } from '#resilience/breakers.ts';
import type { BreakerRules } from '#resilience/breaker-types.ts';

export const NO_METRICS: Metrics = {
  counter: () => ({ add() {} }),
  histogram: () => ({ observe() {} }),
  gauge() {},
};

export const RULES: BreakerRules = {
  ...DEFAULT_RULES,
  windowMs: 60_000,
  minCalls: 4,
  failurePercent: 50,
  coolOffMs: 10_000,
  maxCoolOffMs: 300_000,
};
