import { CallError } from '#core/errors/call-error.ts';
import { sleep } from '#core/time/clock.ts';
import { fix } from '#core/messages/fixes.ts';
import { isLoopback } from '#transport/http/peer-address.ts';
import { bareAddress } from './listeners/bind-policy.ts';
import type { FeatureContext } from './features/context.ts';
import type { Feature } from './features/feature.ts';

const NAME = 'conformance';

/**
 * Listener settings for the suite: every answer of a session is a stream, and long streams are
 * closed before the answer, so that the suite tests both.
 */
export const CONFORMANCE_LISTENER = { streamAfterMs: 0, streamForMs: 300 };

/** Throws unless the host is loopback: the fixtures must not be reachable from a network. */
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

/**
 * The fixtures of MCP's conformance suite. Imported only here, so that no other daemon has them.
 */
export async function conformanceFeature({
  registry,
  content,
  clock,
}: Pick<FeatureContext, 'registry' | 'content' | 'clock'>): Promise<Feature> {
  const { conformanceKit } = await import('#tools/conformance/kit.ts');
  // Putting a list again notifies clients of a change.
  const kit = conformanceKit({
    wait: (ms, signal) => sleep(clock, ms, signal),
    toolsChanged: () => registry.put(NAME, kit.tools),
    promptsChanged: () => content.put(NAME, { prompts: kit.prompts }),
  });
  return { name: NAME, ...kit };
}
