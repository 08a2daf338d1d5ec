import { get } from '../http-get.ts';

/** Asks for the health of a daemon all the time, and keeps the worst that it met. */
export interface Witness {
  readonly worstMs: number;
  readonly answers: number;
  readonly failures: readonly string[];
  readonly peakBytes: number;
  stop(): Promise<void>;
}

const PAUSE_MS = 20;

export function watchHealth(url: string, token: string): Witness {
  const failures: string[] = [];
  let worstMs = 0;
  let answers = 0;
  let peakBytes = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      try {
        const { status } = await get(`${url}/healthz`);
        if (status === 200) answers += 1;
        else failures.push(String(status));
      } catch (error) {
        failures.push(String(error));
      }
      worstMs = Math.max(worstMs, performance.now() - startedAt);
      peakBytes = Math.max(peakBytes, await residentBytes(url, token));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    get worstMs() {
      return worstMs;
    },
    get answers() {
      return answers;
    },
    failures,
    get peakBytes() {
      return peakBytes;
    },
    async stop() {
      isOver = true;
      await watching;
    },
  };
}

/** What the daemon holds of the machine's memory; 0 where it cannot be asked. */
export async function residentBytes(url: string, token: string): Promise<number> {
  const metrics = await metricsOf(url, token);
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1] ?? 0);
}

export async function metricsOf(url: string, token: string): Promise<string> {
  try {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    return (await get(`${url}/metrics`, headers)).body;
  } catch {
    // The next look is soon.
    return '';
  }
}
