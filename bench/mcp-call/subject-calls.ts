import * as z from 'zod';
import { createCalls } from '#calls/create-calls.ts';
import { createAccess } from '#calls/access.ts';
import { createContentRegistry } from '#calls/content-registry.ts';
import { createRegistry } from '#calls/registry.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import { createStateSeal } from '#calls/request-state.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import type { Calls } from '#core/calls/calls.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { createIds } from '#core/ids.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { REFUSING_MANAGER } from '../../test/refusing-manager.ts';
import { createListLog } from '../../test/list-log.ts';

export const AT_ONCE = 64;
export const CALLER = { principal: 'local', scopes: ['*'], roots: [] };

/** A call's life in this process, with so many tools that do nothing. */
export function createSubjectCalls(
  tools: number,
  store: CallStore,
  effect: 'reads' | 'changes' = 'reads',
): Calls {
  const registry = createRegistry({ profile: 'full', enabled: [], disabled: [] });
  const input = z.strictObject({ model: z.string().optional() });
  registry.put(
    'bench',
    Array.from({ length: tools }, (_, n) =>
      defineTool({
        name: `tool_${n}`,
        title: 'A tool',
        description: 'Does nothing.',
        input,
        effect,
        run: () => Promise.resolve({ text: 'ok' }),
      }),
    ),
  );
  return createCalls({
    registry,
    content: createContentRegistry(),
    access: createAccess({ registry }),
    seal: createStateSeal(new Uint8Array(32), systemClock),
    pageSize: 100,
    limiter: createLimiter({ capacity: () => AT_ONCE, maxWaiting: 0 }),
    capacity: AT_ONCE,
    retryAfterMs: 1000,
    isCredentialValid: () => true,
    metadata: createMetadata({ timezone: 'UTC', location: '' }, systemClock),
    store,
    manager: REFUSING_MANAGER,
    clock: systemClock,
    newId: createIds(systemClock, systemRandom),
    log: createListLog(),
    metrics: createMetrics(),
    tracer: NO_TRACER,
  });
}

const NO_TRACER: Tracer = {
  isOff: true,
  span: (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined }),
};
