import { isObject } from '#mcp/json-rpc.ts';
import { SUBSCRIPTION_KEY } from '#mcp/meta-keys.ts';

// What a client is told when nobody could tell it anything for a while: all it wants to hear of may have changed.

const LISTS = ['tools', 'prompts', 'resources'] as const;
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** Every client of the legacy era hears of these. */
export const LISTS_CHANGED_LINES: readonly string[] = LISTS.map((list) =>
  notice(`${list}/list_changed`),
);

export function updatedLine(uri: string): string {
  return notice('resources/updated', { uri });
}

/** To a subscription of the modern era, all that it was promised when it was acknowledged. */
export function newsFor(acknowledgement: string): string[] {
  const { params } = JSON.parse(acknowledgement) as { params?: unknown };
  const { notifications, _meta } = isObject(params) ? params : {};
  const promised = isObject(notifications) ? notifications : {};
  const uris = promised['resourceSubscriptions'];
  const lists = LISTS.filter((list) => promised[`${list}ListChanged`] === true);
  return [
    ...lists.map((list) => notice(`${list}/list_changed`, { _meta })),
    ...(Array.isArray(uris) ? uris : []).map((uri) => notice('resources/updated', { uri, _meta })),
  ];
}

/** The subscription that a word belongs to, as its id was given. */
export function subscriptionOf(params: unknown): unknown {
  const { _meta } = isObject(params) ? params : {};
  return isObject(_meta) ? _meta[SUBSCRIPTION_KEY] : undefined;
}

function notice(about: string, params?: object): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    method: `notifications/${about}`,
    ...(params && { params }),
  });
}
