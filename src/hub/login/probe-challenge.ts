import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { CallError } from '#core/errors/call-error.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';
import { createHttp, type NetworkSettings } from '#net/create-http.ts';
import { createHttpExchange, discard } from '../connection/http/http-exchange.ts';
import { parseChallenge, type Challenge } from './challenge.ts';

interface ProbeOptions {
  readonly network: () => Promise<NetworkSettings>;
  readonly clock: Clock;
  readonly random: Random;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: {} });
const MAX_BYTES = 65_536;
const TIMEOUT_MS = 20_000;

/** What a server says to a request without a token; undefined: it does not ask for one. */
export async function probeChallenge(
  server: string,
  { url, headers }: UpstreamConfig,
  { network, clock, random }: ProbeOptions,
): Promise<Challenge | undefined> {
  const http = createHttp({ network: await network(), guard: 'configured', clock });
  const signal = new LightAbortController();
  const timer = clock.after(TIMEOUT_MS, () =>
    signal.abort(new CallError('timeout', `${new URL(url).host} did not answer in 20 seconds.`)),
  );
  try {
    const exchange = createHttpExchange({
      server,
      url,
      headers,
      http,
      maxMessageBytes: MAX_BYTES,
      newMark: () => Buffer.from(random(16)).toString('hex'),
    });
    const response = await exchange.send({
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: PING,
      signal,
    });
    const { status } = response;
    const challenge = parseChallenge(response.headers['www-authenticate']);
    await discard(response);
    return status === 401 || status === 403 ? challenge : undefined;
  } finally {
    timer.stop();
    await http.close();
  }
}
