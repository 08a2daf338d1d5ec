import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Endpoint, Exchange } from '../http/endpoint.ts';
import type { Dialect } from './dialect.ts';
import type { GatewayParts } from './gateway-door.ts';
import { identify, receive, type Posted } from './knock.ts';
import { refuse } from './refuse.ts';

/** Who asks by an exchange, and by which connection. */
export interface Asker {
  readonly caller: Caller;
  readonly session: string;
}

const RETRY_AFTER_MS = 1000;
const STOPPING = new CallError('over_capacity', 'The daemon is stopping.', {
  retryAfterMs: RETRY_AFTER_MS,
});

/** An endpoint that is posted JSON to: who asks and what was sent are found out first. `work` may throw. */
export function postedEndpoint(
  path: string,
  dialect: Dialect,
  parts: GatewayParts,
  work: (exchange: Exchange, posted: Posted, asker: Asker) => void,
): Endpoint {
  return endpoint(path, dialect, ['POST'], parts, (exchange, asker) => {
    receive(exchange, asker.caller, parts.limits, (posted) => {
      if (!exchange.isOpen) return;
      // It came before the end, and is whole only now.
      if (parts.isDraining()) refuse(exchange, dialect, STOPPING);
      else if (posted instanceof CallError) refuse(exchange, dialect, posted);
      else guarded(exchange, dialect, () => work(exchange, posted, asker));
    });
  });
}

/** An endpoint that is asked without a body. `work` may throw. */
export function askedEndpoint(
  path: string,
  dialectOf: (exchange: Exchange) => Dialect,
  parts: GatewayParts,
  work: (exchange: Exchange, asker: Asker, dialect: Dialect) => void,
): Endpoint {
  const serve = (exchange: Exchange, dialect: Dialect) =>
    admit(exchange, dialect, ['GET', 'HEAD'], parts, (asker) => work(exchange, asker, dialect));
  return {
    path,
    serves: 'below',
    handle: (exchange) => serve(exchange, dialectOf(exchange)),
    refuse: (exchange, error) => refuse(exchange, dialectOf(exchange), error),
  };
}

function endpoint(
  path: string,
  dialect: Dialect,
  methods: readonly string[],
  parts: GatewayParts,
  work: (exchange: Exchange, asker: Asker) => void,
): Endpoint {
  return {
    path,
    handle: (exchange) =>
      admit(exchange, dialect, methods, parts, (asker) => work(exchange, asker)),
    refuse: (exchange, error) => refuse(exchange, dialect, error),
  };
}

function admit(
  exchange: Exchange,
  dialect: Dialect,
  methods: readonly string[],
  { doorman, sessionOf, isDraining }: GatewayParts,
  then: (asker: Asker) => void,
): void {
  const { method = '', url = '' } = exchange.request;
  if (!methods.includes(method)) return refuseMethod(exchange, dialect, methods, url);
  if (isDraining()) return refuse(exchange, dialect, STOPPING);
  identify(exchange, doorman).then(
    (caller) => {
      if (!exchange.isOpen) return;
      if (isDraining()) return refuse(exchange, dialect, STOPPING);
      guarded(exchange, dialect, () => then({ caller, session: sessionOf(exchange) }));
    },
    (thrown: unknown) => refuse(exchange, dialect, CallError.from(thrown)),
  );
}

const METHOD_NOT_ALLOWED = 405;

function refuseMethod(
  exchange: Exchange,
  dialect: Dialect,
  methods: readonly string[],
  url: string,
): void {
  const allow = methods.join(', ');
  const [path = ''] = url.split('?');
  const error = new CallError('bad_request', `${path.slice(0, 200)} answers ${allow} only.`);
  const refusal = (told: CallError, reqId: string) => ({
    ...dialect.refusal(told, reqId),
    status: METHOD_NOT_ALLOWED,
  });
  refuse(exchange, { ...dialect, refusal }, error, undefined, ['allow', allow]);
}

/** What is wrong with a request is told in its dialect; so is a bug of ours, which costs this request and no other. */
function guarded(exchange: Exchange, dialect: Dialect, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    refuse(exchange, dialect, CallError.from(thrown));
  }
}
