import { systemClock } from '#app/system.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { createHttp, type NetworkSettings } from '#net/create-http.ts';

const DEADLINE_MS = 120_000;

export const NETWORK: NetworkSettings = {
  httpProxy: '',
  httpsProxy: '',
  noProxy: '',
  extraCa: '',
};

export const http = createHttp({
  network: NETWORK,
  guard: 'configured',
  clock: systemClock,
});

/** The caller's own signal is the caller's expense, so there is one for all. */
const { signal } = new AbortController();

export const newContext = (): ProviderContext => ({
  signal,
  deadline: deadlineIn(systemClock, DEADLINE_MS),
  onVendorRequest: () => undefined,
});

/** Reads an answer to its end, and every event of it. */
export async function charsOf(events: AsyncIterable<ChatEvent>): Promise<number> {
  let text = '';
  for await (const event of events) if (event.type === 'text') text += event.text;
  return text.length;
}
