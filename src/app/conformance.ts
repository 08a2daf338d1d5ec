import { CallError } from '#core/call-error.ts';
import { sleep } from '#core/clock.ts';
import { fix } from '#core/messages/fixes.ts';
import { isLoopback } from '#transport/http/loopback.ts';
import { bareAddress } from './bind-policy.ts';
import type { FeatureContext } from './features/context.ts';
import type { Feature } from './features/feature.ts';

const NAME = 'conformance';

/** Every answer of a session is a stream, and a long one ends before its answer, so that the suite sees both work. */
export const CONFORMANCE_DOOR = { streamAfterMs: 0, streamForMs: 300 };

/** Fixtures are for tests on this machine: what they do is nothing to show to a network. */
export function checkConformanceHost(host: string): void {
  if (isLoopback(bareAddress(host))) return;
  throw new CallError(
    'validation',
    `--conformance adds test fixtures, and listening on ${host} would show them to other machines.`,
    {
      field: 'conformance',
      fixes: [
        fix('set_setting', { setting: 'EXAI_HOST', value: '127.0.0.1' }),
        'Or leave out --conformance.',
      ],
    },
  );
}

/** What MCP's conformance suite looks for. Loaded here and nowhere else, so that no other daemon has it. */
export async function conformanceFeature({
  registry,
  library,
  clock,
}: Pick<FeatureContext, 'registry' | 'library' | 'clock'>): Promise<Feature> {
  const { conformanceKit } = await import('#tools/conformance/kit.ts');
  // Lists that are put again are reported as changed.
  const kit = conformanceKit({
    wait: (ms, signal) => sleep(clock, ms, signal),
    toolsChanged: () => registry.put(NAME, kit.tools),
    promptsChanged: () => library.put(NAME, { prompts: kit.prompts }),
  });
  return { name: NAME, ...kit };
}
