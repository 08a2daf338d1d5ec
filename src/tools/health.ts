import * as z from 'zod';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { BreakerFinding, Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Tool } from '#core/tools/tool.ts';
import {
  loadContent,
  LoadShape,
  ProviderShape,
  renderLoad,
  renderProviders,
  renderStore,
  storeContent,
  StoreShape,
} from './reporting/status-parts.ts';
import { recentProblems } from './reporting/recent-problems.ts';
import { LOG_IS_LOCAL, isMachineOwner } from './reporting/visibility.ts';

/** Log lines searched for warnings and errors. */
const LOOKED_AT_LINES = 2000;

export function health(
  ops: Pick<Diagnostics, 'store' | 'providers' | 'breakers' | 'load' | 'logLines'>,
): Tool {
  return defineTool({
    name: 'health',
    title: 'Health',
    description:
      'Health of the store, the providers and the limits, with the last warnings and errors.',
    input: z.strictObject({
      tail_lines: z
        .int()
        .min(0)
        .max(500)
        .default(50)
        .describe('How many warnings and errors at most.'),
    }),
    output: z.strictObject({
      ok: z.boolean(),
      store: StoreShape,
      providers: z.array(ProviderShape),
      breakers: z.array(z.strictObject({ key: z.string(), state: z.string() })).optional(),
      load: LoadShape,
      warnings: z.array(z.string()).optional(),
    }),
    effect: 'reads',
    profile: 'standard',
    async run({ tail_lines: tailLines }, { caller }) {
      const viewer = isMachineOwner(caller) ? 'owner' : 'client';
      const [store, breakers, problems] = await Promise.all([
        ops.store('ask'),
        // Breakers are stored; if the store is down, that is the finding to report.
        ops.breakers().catch(() => undefined),
        recentProblems(ops, caller, tailLines === 0 ? 0 : LOOKED_AT_LINES),
      ]);
      const [providers, load] = [ops.providers(), ops.load()];
      const warnings = problems?.slice(-tailLines).map(({ line }) => line);
      const text = [
        renderStore(store, viewer),
        renderProviders(providers),
        renderBreakers(breakers),
        renderLoad(load),
        renderWarnings(warnings, tailLines),
      ];
      return {
        text: text.filter((line) => line !== '').join('\n'),
        ...(viewer === 'client' && { detail: LOG_IS_LOCAL }),
        content: {
          ok: store.ok,
          store: storeContent(store, viewer),
          providers,
          ...(breakers && { breakers: breakers.map(({ key, state }) => ({ key, state })) }),
          load: loadContent(load),
          ...(warnings && { warnings }),
        },
      };
    },
  });
}

function renderBreakers(breakers: readonly BreakerFinding[] | undefined): string {
  if (!breakers) return 'Breakers: not known while the store does not answer';
  if (breakers.length === 0) return 'Breakers: none has had a reason to open';
  return `Breakers: ${breakers.map(({ key, state }) => `${key} ${state}`).join(', ')}`;
}

function renderWarnings(warnings: readonly string[] | undefined, tailLines: number): string {
  if (!warnings) return LOG_IS_LOCAL;
  if (tailLines === 0) return '';
  if (warnings.length === 0) return 'Log: no recent warnings or errors';
  return ['Last warnings and errors:', ...warnings].join('\n');
}
