import { sleep, type Clock } from '#core/clock.ts';
import { threadsOver, type Connect } from './chat-connect.ts';
import type { ChatScreen } from './chat-screen.ts';
import { foreseen } from './foreseen.ts';

/** How long a daemon that went away may take to come back, where it is not ours to start. */
const BACK_WITHIN_MS = 20_000;
const BETWEEN_TRIES_MS = 250;
const MAX_TURN_CHARS = 8_000_000;

export interface Waiting {
  readonly screen: Pick<ChatScreen, 'wait'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Does the work as soon as the daemon can be reached again. */
export async function whenBack<T>(
  { screen, clock, signal }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const end = clock.monotonic() + BACK_WITHIN_MS;
  for (;;) {
    screen.wait('waiting for the daemon');
    try {
      return await work();
    } catch (thrown) {
      const error = foreseen(thrown);
      if (error.class !== 'network' || clock.monotonic() >= end) throw error;
    }
    await sleep(clock, BETWEEN_TRIES_MS, signal);
  }
}

export interface KeptAnswer {
  readonly text: string;
  readonly provider?: string;
  readonly model?: string;
}

/** The answer may have been kept before the connection broke; asking again would pay for it twice. */
export async function keptAnswer(
  connect: Connect,
  thread: { readonly id: string } | undefined,
  sent: string,
  sentAtMs: number,
): Promise<KeptAnswer | undefined> {
  const turns = await connect(async (client) => {
    if (thread) {
      const wish = { id: thread.id, limit: 2, max_chars: MAX_TURN_CHARS };
      return (await threadsOver(client)('show', wish)).turns;
    }
    // A conversation that was to begin has no id that anybody knows; it is only seen that the daemon is there.
    await client.request('ping', {});
    return [];
  });
  const [asked, answered] = turns;
  const isIt =
    asked?.role === 'user' &&
    asked.text === sent &&
    Date.parse(asked.at) >= sentAtMs &&
    answered?.role === 'assistant';
  if (!isIt) return undefined;
  const { provider, model, text } = answered;
  return {
    text,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}
