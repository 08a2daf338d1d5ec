import type { Clock } from '#core/time/clock.ts';
import { deadlineIn, signalAt } from '#core/time/deadline.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Http } from '#core/net/http.ts';
import type { ProviderModel } from '#core/llm/provider.ts';
import { parseJson } from '../openai-compatible/response/json.ts';
import { readVendorError } from '../openai-compatible/errors/vendor-error.ts';
import type { FlavourId } from './flavours.ts';
import { PROBES, readServer, type ProbeAnswers, type ProbeName } from './probes.ts';

export interface LocalServer {
  /** For `CUSTOM_API_URL`. */
  readonly baseUrl: string;
  readonly flavour: Exclude<FlavourId, 'generic'>;
  readonly models: readonly ProviderModel[];
}

/** The default ports of Ollama, vLLM, llama.cpp and LM Studio. */
export const DEFAULT_PORTS: readonly number[] = [11434, 8000, 8080, 1234];
const LOOK_MS = 300;
const MAX_BYTES = 1024 * 1024;

/**
 * Finds model servers on this machine, for users who allow it. Other programs use these ports too,
 * so only a response that is typical of one of the four counts. No key is sent.
 */
export async function discoverLocalServers(
  http: Http,
  clock: Clock,
  ports: readonly number[] = DEFAULT_PORTS,
  signal?: AbortSignalLike,
): Promise<readonly LocalServer[]> {
  await warm(http);
  const found = await Promise.all(ports.map((port) => lookAt(port, http, clock, signal)));
  signal?.throwIfAborted();
  return found.flatMap((server) => server ?? []);
}

/** Loads the HTTP client, which takes longer than a probe may. */
async function warm(http: Http): Promise<void> {
  const request = { method: 'GET', url: 'http://127.0.0.1/', headers: {} } as const;
  await http.send({ ...request, signal: AbortSignal.abort() }).catch(() => undefined);
}

async function lookAt(
  port: number,
  http: Http,
  clock: Clock,
  parent: AbortSignalLike | undefined,
): Promise<LocalServer | undefined> {
  const root = `http://127.0.0.1:${port}`;
  const timer = signalAt(deadlineIn(clock, LOOK_MS), clock, parent);
  try {
    const names = Object.keys(PROBES) as ProbeName[];
    const seen = await Promise.all(
      names.map((name) => ask(http, `${root}${PROBES[name]}`, timer.signal)),
    );
    const byName = Object.fromEntries(names.map((name, index) => [name, seen[index]?.json]));
    const isLoading = seen[names.indexOf('props')]?.isLoading === true;
    const { flavour, models } = readServer({ ...byName, isLoading } as ProbeAnswers);
    if (flavour === undefined || flavour === 'generic') return undefined;
    return { baseUrl: `${root}/v1`, flavour, models };
  } finally {
    timer.dispose();
  }
}

interface Seen {
  readonly json?: unknown;
  readonly isLoading?: boolean;
}

async function ask(http: Http, url: string, signal: AbortSignalLike): Promise<Seen> {
  try {
    const headers = { accept: 'application/json' };
    const response = await http.send({ method: 'GET', url, headers, signal });
    const text = await response.text(MAX_BYTES);
    if (response.status === 200) return { json: parseJson(text) };
    const { type, message } = readVendorError(response.status, text);
    const isLoading = response.status === 503 && type === 'unavailable_error';
    return { isLoading: isLoading && /loading model/i.test(message) };
  } catch {
    // No server, or another protocol.
    return {};
  }
}
