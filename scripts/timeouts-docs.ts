import { USUAL_TIMEOUTS } from '#core/llm/stream-timeouts.ts';
import { JOB_TIMEOUT_MS, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { callTimeMs } from '#manager/run/attempt-limits.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';
import { modelTimeouts, willThink } from '#models/timeouts.ts';

const seconds = (ms: number) => `${ms / 1000} s`;

interface Limits {
  readonly models: string[];
  readonly firstToken: string;
  readonly pause: string;
  readonly call: string;
}

/** Models with the same limits share a row. */
function rows(): string {
  const byLimits = new Map<string, Limits>();
  const live = createCatalogue().models.filter(({ state }) => state === 'live');
  for (const model of live) {
    const limits = limitsOf(model);
    const key = JSON.stringify(limits);
    const row = byLimits.get(key) ?? { ...limits, models: [] };
    row.models.push(`\`${model.id}\``);
    byLimits.set(key, row);
  }
  return [...byLimits.values()]
    .map(
      ({ models, firstToken, pause, call }) =>
        `| ${models.join(', ')} | ${firstToken} | ${pause} | ${call} |`,
    )
    .join('\n');
}

function limitsOf(model: Model): Omit<Limits, 'models'> {
  const timeouts = modelTimeouts(model, { mode: 'on' }, USUAL_TIMEOUTS);
  const thinks = willThink(model, { mode: 'on' });
  return {
    firstToken: seconds(timeouts.firstTokenMs),
    pause: seconds(timeouts.idleMs),
    call: thinks ? seconds(callTimeMs(timeouts, { hasFallback: true })) : '–',
  };
}

/** docs/timeouts.md: every limit on waiting for a model. */
export function timeoutsPage(): string {
  const { firstTokenMs, idleMs } = USUAL_TIMEOUTS;
  return `# Timeouts

How long a model may take. Vendors say that thinking models may be silent for minutes, so their limits are longer than the usual ones of
${seconds(firstTokenMs)} for the first token and ${seconds(idleMs)} for a pause. [Failover](failover.md) describes what follows.

| models, while they think | first token | pause | time of the call, at least |
|---|---|---|---|
${rows()}

- A model whose thinking is off has the usual limits. So has every model that does not think.
- \`timeouts.firstTokenMs\` and \`timeouts.idleMs\` apply to all models once they differ from their defaults.
- Keep-alive comments and empty events extend a pause, up to the limit of the first token and never beyond: a stream of comments alone ends as
  \`timeout\`. Before the first token they extend nothing.
- While another model is left, a model has at most half of the remaining time until its first token, or all but two minutes of it if that is more.
- A call whose first model thinks has at least the time of the last column: the limit of the first token, four minutes for the answer, and two minutes for the
  next model, at most 15 minutes. A limit that the client sets, and \`gateway.timeoutMs\`, are never extended.
- Otherwise a tool that asks models has ${seconds(MODEL_TOOL_TIMEOUT_MS)} before its call gets the time of a [job](jobs.md), ${seconds(JOB_TIMEOUT_MS)} (\`jobs.timeoutMs\`).
`;
}
