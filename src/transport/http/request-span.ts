import type { IncomingMessage } from 'node:http';
import type { SpanOptions, Tracer } from '#core/telemetry.ts';
import { UNMATCHED, type Answered } from './answer.ts';

// Those that OpenTelemetry names. Any other counts as one, so that strangers cannot make up names.
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '));

/** Answers a request inside a span of its own, named and described by OpenTelemetry's conventions for HTTP servers. */
export async function inRequestSpan<Given extends Answered>(
  tracer: Tracer,
  message: IncomingMessage,
  route: string,
  work: () => Promise<Given>,
): Promise<Given> {
  let answer: Given | undefined;
  try {
    return await tracer.span(nameOf(message, route), optionsOf(message, route), async (span) => {
      answer = await work();
      span.set('http.response.status_code', answer.reply.status);
      // A 5xx is a failure of ours, which the span shall carry; a 4xx is the caller's own.
      if (answer.error && answer.reply.status >= 500) throw answer.error;
      return answer;
    });
  } catch (thrown) {
    if (answer) return answer;
    throw thrown;
  }
}

function nameOf({ method = 'GET' }: IncomingMessage, route: string): string {
  const verb = METHODS.has(method) ? method : 'HTTP';
  return route === UNMATCHED ? verb : `${verb} ${route}`;
}

function optionsOf({ method = 'GET', headers }: IncomingMessage, route: string): SpanOptions {
  const { traceparent } = headers;
  return {
    attributes: {
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      // Of an unmatched request the path is a stranger's text.
      ...(route !== UNMATCHED && { 'http.route': route, 'url.path': route }),
    },
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}
