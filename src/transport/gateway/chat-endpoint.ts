import type { Endpoint } from '../http/endpoint.ts';
import type { Chats } from './chats.ts';
import type { Dialect } from './dialect.ts';
import type { GatewayParts } from './gateway-door.ts';
import { postedEndpoint } from './posted-endpoint.ts';
import { readWishes } from './read-wishes.ts';

/** Where a chat is ordered, in one dialect. */
export function chatEndpoint(
  path: string,
  dialect: Dialect,
  chats: Chats,
  parts: GatewayParts,
): Endpoint {
  return postedEndpoint(path, dialect, parts, (exchange, { body, sha256 }, asker) => {
    const order = dialect.readChat(body, readWishes(exchange.request.headers));
    chats.serve(exchange, dialect, order, { ...asker, sha256 });
  });
}
