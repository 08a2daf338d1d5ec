import { CallError } from '#core/call-error.ts';
import { sleep, type Clock } from '#core/clock.ts';
import { isLoopback } from '#transport/http/loopback.ts';
import { bareAddress } from './bind-policy.ts';
import type { Engine } from './engine.ts';

const SOURCE = 'conformance';

/** Every answer of a session is a stream, and a long one ends before its answer, so that the suite sees both work. */
export const CONFORMANCE_DOOR = { streamAfterMs: 0, streamForMs: 300 };

/** Fixtures are for tests on this machine: what they do is nothing to show to a network. */
export function checkConformanceHost(host: string): void {
  if (isLoopback(bareAddress(host))) return;
  throw new CallError(
    'validation',
    `--conformance adds test fixtures, and listening on ${host} would show them to other machines.`,
    { field: 'conformance', fix: 'Leave --conformance out, or listen on 127.0.0.1.' },
  );
}

/** Adds what MCP's conformance suite looks for. Loaded here and nowhere else, so that no other daemon has it. */
export async function addConformanceKit(
  { registry, library }: Pick<Engine, 'registry' | 'library'>,
  clock: Clock,
): Promise<void> {
  const { conformanceKit } = await import('#tools/conformance/kit.ts');
  // A list that is put in again is a list that has changed, to whoever listens.
  const kit = conformanceKit({
    wait: (ms, signal) => sleep(clock, ms, signal),
    toolsChanged: () => registry.put(SOURCE, kit.tools),
    promptsChanged: () => library.put(SOURCE, { prompts: kit.prompts }),
  });
  registry.put(SOURCE, kit.tools);
  library.put(SOURCE, kit);
}
