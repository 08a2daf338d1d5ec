import type { Config } from '#config/config.schema.ts';
import {
  startListener,
  type HttpListener,
  type ListenerOptions,
} from '#transport/http/listener.ts';
import { probeRoutes, type Probed } from '#transport/http/probe-routes.ts';
import type { Part } from './lifecycle.ts';

// What is left after the drain is cut; this is for the cutting.
const MARGIN_MS = 1000;

export function listenerPart(
  config: Config,
  probed: Probed,
  tools: Pick<ListenerOptions, 'clock' | 'newId' | 'log' | 'metrics' | 'tracer'>,
): Part<HttpListener> {
  const { drainMs } = config.shutdown;
  return {
    start: () =>
      startListener({
        ...tools,
        host: config.host,
        port: config.port,
        token: config.token === '' ? undefined : config.token,
        routes: probeRoutes(probed),
      }),
    stop: (listener) => listener.drain(drainMs),
    stopWithinMs: drainMs + MARGIN_MS,
  };
}
