import type { ClientOptions } from './client.ts';
import { isWelcome, tokenOf } from './badges.ts';
import type { HeaderList } from '#transport/http/http-context.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { Id } from '#core/ids.ts';
import type { Badge } from './plan.ts';
import { sendHttp, type HttpAsked, type HttpEar, type HttpWire } from './http-wire.ts';
import type { SimExchange } from './http-wire.ts';

/** What clients of the HTTP transport may know of the daemon, so that they can judge what it does. */
export interface HttpSight {
  serve(exchange: SimExchange): boolean;
  /** Which daemon it is, one after another. */
  readonly life: number;
  readonly isStopping: boolean;
  readonly sessionIdleMs: number;
  /** `tight`: idle sessions may have to make room, and what was said may have to be forgotten. */
  readonly room: 'ample' | 'tight';
  told(session: string): number;
  isSaid(session: string, text: string): boolean;
  /** How a call was answered, by this daemon or one before it. */
  envelopeOf(reqId: string): Envelope | undefined;
  /** The daemon has said that a session is over. */
  sessionOver(session: string): void;
}

export type Headers = Readonly<Record<string, string>>;

/** The headers of every request, with the badge's token. */
export function commonHeaders({ plan }: ClientOptions): Headers {
  const token = tokenOf(plan.badge);
  return {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

/** Of a client, what it takes to know who it is. */
export type Identity = Pick<ClientOptions, 'needsToken' | 'isDoubtful'> & {
  readonly plan: { readonly badge: Badge };
};

export function isKnown({ plan, needsToken, isDoubtful }: Identity): boolean {
  return isWelcome(plan.badge, needsToken) && !isDoubtful(plan.badge);
}

export function sendTo(
  options: Pick<ClientOptions, 'name' | 'simulation' | 'random' | 'daemonFreeze' | 'http'>,
  asked: HttpAsked,
  ear: HttpEar,
  mark?: string,
  reqId?: Id<'req'>,
): HttpWire {
  const { name, simulation, random, daemonFreeze, http } = options;
  const length =
    asked.body === '' ? {} : { 'content-length': String(Buffer.byteLength(asked.body)) };
  return sendHttp(
    { ...asked, headers: { ...asked.headers, ...length } },
    {
      name,
      ...(reqId !== undefined && { reqId }),
      simulation,
      random,
      daemonFreeze,
      ear,
      serve: (exchange) => http.serve(Object.assign(exchange, mark !== undefined && { mark })),
    },
  );
}

export function headerOf(headers: HeaderList, name: string): string | undefined {
  const at = headers.indexOf(name);
  return at === -1 ? undefined : headers[at + 1];
}
