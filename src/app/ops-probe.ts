import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Ops, ProbeFinding } from '#core/ops.ts';
import type { CallStore } from '#core/stores/calls.ts';
import { getLocal } from '#net/get-local.ts';
import { bounded } from './bounded.ts';
import type { LocalTarget } from './own-url.ts';

const PATIENCE_MS = 3000;

interface Probed {
  readonly look: Ops['store'];
  readonly calls: Pick<CallStore, 'list'>;
  readonly listener: () => LocalTarget | undefined;
  readonly clock: Clock;
}

/** Really asks each part, all at once and in bounded time. What fails is a finding. */
export async function probeAll(probed: Probed): Promise<readonly ProbeFinding[]> {
  const { look, calls, clock } = probed;
  const target = probed.listener();
  return Promise.all([
    probe('the store', clock, async () => {
      const { ok, detail } = await look('ask');
      if (!ok) throw new CallError('network', detail ?? 'It does not work.');
    }),
    probe('the audit', clock, () => calls.list({ limit: 1 })),
    ...(target ? [probe('the listener', clock, () => askListener(target, clock))] : []),
  ]);
}

async function probe(
  what: string,
  clock: Clock,
  work: () => Promise<unknown>,
): Promise<ProbeFinding> {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  try {
    const outcome = await bounded(clock, PATIENCE_MS, work());
    if (outcome !== 'late') return { what, ok: true, elapsedMs: elapsed() };
    return { what, ok: false, elapsedMs: elapsed(), detail: `No answer in ${PATIENCE_MS} ms.` };
  } catch (thrown) {
    return { what, ok: false, elapsedMs: elapsed(), detail: CallError.from(thrown).message };
  }
}

async function askListener({ url, ...tls }: LocalTarget, clock: Clock): Promise<void> {
  const call = { timeoutMs: PATIENCE_MS, clock, token: '', ...tls };
  const { status } = await getLocal(`${url}/healthz`, call);
  if (status !== 200) throw new CallError('bad_response', `It answers with ${status}.`);
}
