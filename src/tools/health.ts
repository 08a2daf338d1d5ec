import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import type { BreakerFinding, Ops } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import {
  loadContent,
  LoadShape,
  ProviderShape,
  storeContent,
  StoreShape,
} from './reporting/shapes.ts';
import { recentTrouble } from './reporting/trouble.ts';
import { LOG_IS_LOCAL, ownsMachine } from './reporting/viewer.ts';
import { loadWords, providerWords, storeWords } from './reporting/words.ts';

/** How far back warnings and errors are looked for. */
const LOOKED_AT_LINES = 2000;

export function health(
  ops: Pick<Ops, 'store' | 'providers' | 'breakers' | 'load' | 'logLines'>,
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
    profile: 'lean',
    async run({ tail_lines: tailLines }, { caller }) {
      const viewer = ownsMachine(caller) ? 'owner' : 'client';
      const [store, breakers, trouble] = await Promise.all([
        ops.store('ask'),
        // They are kept in the store; when it is lost, that is what has to be told.
        ops.breakers().catch(() => undefined),
        recentTrouble(ops, caller, tailLines === 0 ? 0 : LOOKED_AT_LINES),
      ]);
      const [providers, load] = [ops.providers(), ops.load()];
      const warnings = trouble?.slice(-tailLines).map(({ line }) => line);
      const text = [
        storeWords(store, viewer),
        providerWords(providers),
        breakerWords(breakers),
        loadWords(load),
        warningWords(warnings, tailLines),
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

function breakerWords(breakers: readonly BreakerFinding[] | undefined): string {
  if (!breakers) return 'Breakers: not known while the store does not answer';
  if (breakers.length === 0) return 'Breakers: none has had a reason to open';
  return `Breakers: ${breakers.map(({ key, state }) => `${key} ${state}`).join(', ')}`;
}

function warningWords(warnings: readonly string[] | undefined, tailLines: number): string {
  if (!warnings) return LOG_IS_LOCAL;
  if (tailLines === 0) return '';
  if (warnings.length === 0) return 'Log: no recent warnings or errors';
  return ['Last warnings and errors:', ...warnings].join('\n');
}
