import type { Change } from '#core/calls/calls.ts';
import { isObject, type RequestId } from './json-rpc.ts';
import { SUBSCRIPTION_KEY } from './meta-keys.ts';

/** The granted notifications of a modern subscription. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: ReadonlySet<string>;
  /** Not checked for existence yet. */
  readonly taskIds?: readonly string[];
}

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

/**
 * Reads the filter and reduces it to what is granted, or returns a sentence about the invalid
 * field.
 */
export function readSubscriptionFilter(
  notifications: unknown,
  canWatch: (uri: string) => boolean,
): SubscriptionFilter | string {
  if (!isObject(notifications))
    return 'notifications must be an object: what the client wants to hear of.';
  for (const name of LISTS) {
    const value = notifications[name];
    if (value !== undefined && typeof value !== 'boolean') {
      return `notifications.${name} must be true, false or left out.`;
    }
  }
  const uris = notifications['resourceSubscriptions'] ?? [];
  const taskIds = notifications['taskIds'] ?? undefined;
  if (!isTexts(uris)) return 'notifications.resourceSubscriptions must be a list of addresses.';
  if (taskIds !== undefined && !isTexts(taskIds)) {
    return 'notifications.taskIds must be a list of the ids of tasks.';
  }
  const readable = new Set(uris.filter(canWatch));
  return {
    ...(notifications['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(notifications['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(notifications['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(readable.size > 0 && { resourceSubscriptions: readable }),
    ...(taskIds && { taskIds: [...new Set(taskIds)] }),
  };
}

export function matchesFilter(filter: SubscriptionFilter, change: Change): boolean {
  if ('list' in change) return filter[`${change.list}ListChanged`] === true;
  return filter.resourceSubscriptions?.has(change.uri) ?? false;
}

/** The first notification of a subscription: what is granted. `taskIds`: the tasks that exist. */
export function acknowledgedNotification(
  id: RequestId,
  filter: SubscriptionFilter,
  taskIds: readonly string[] | undefined,
): string {
  const uris = filter.resourceSubscriptions;
  const notifications = { ...filter, resourceSubscriptions: uris && [...uris], taskIds };
  const params = { notifications, _meta: { [SUBSCRIPTION_KEY]: id } };
  return notification('notifications/subscriptions/acknowledged', params);
}

export function changeNotification(change: Change, subscription?: RequestId): string {
  const meta = subscription === undefined ? {} : { _meta: { [SUBSCRIPTION_KEY]: subscription } };
  if ('uri' in change)
    return notification('notifications/resources/updated', { uri: change.uri, ...meta });
  const method = `notifications/${change.list}/list_changed`;
  return notification(method, subscription === undefined ? undefined : meta);
}

export function taskNotification(task: object, subscription: RequestId): string {
  const params = { ...task, _meta: { [SUBSCRIPTION_KEY]: subscription } };
  return notification('notifications/tasks', params);
}

function notification(method: string, params: object | undefined): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
