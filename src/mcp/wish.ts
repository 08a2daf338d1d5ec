import type { Change } from '#core/calls.ts';
import { isObject, type RequestId } from './json-rpc.ts';
import { SUBSCRIPTION_KEY } from './meta-keys.ts';

/** What a modern client wants to hear of, as far as it is granted. */
export interface Wish {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: ReadonlySet<string>;
  /** Whether they exist is found out later. */
  readonly taskIds?: readonly string[];
}

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

/** What is granted of it, or a sentence that says which part is wrong. */
export function readWish(given: unknown, canWatch: (uri: string) => boolean): Wish | string {
  if (!isObject(given)) return 'notifications must be an object: what the client wants to hear of.';
  for (const name of LISTS) {
    const value = given[name];
    if (value !== undefined && typeof value !== 'boolean') {
      return `notifications.${name} must be true, false or left out.`;
    }
  }
  const uris = given['resourceSubscriptions'] ?? [];
  const taskIds = given['taskIds'] ?? undefined;
  if (!isTexts(uris)) return 'notifications.resourceSubscriptions must be a list of addresses.';
  if (taskIds !== undefined && !isTexts(taskIds)) {
    return 'notifications.taskIds must be a list of the ids of tasks.';
  }
  const readable = new Set(uris.filter(canWatch));
  return {
    ...(given['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(given['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(given['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(readable.size > 0 && { resourceSubscriptions: readable }),
    ...(taskIds && { taskIds: [...new Set(taskIds)] }),
  };
}

export function isWished(wish: Wish, change: Change): boolean {
  if ('list' in change) return wish[`${change.list}ListChanged`] === true;
  return wish.resourceSubscriptions?.has(change.uri) ?? false;
}

/** Says first what is granted. `taskIds`: those that there are. */
export function acknowledgement(
  id: RequestId,
  wish: Wish,
  taskIds: readonly string[] | undefined,
): string {
  const uris = wish.resourceSubscriptions;
  const notifications = { ...wish, resourceSubscriptions: uris && [...uris], taskIds };
  const params = { notifications, _meta: { [SUBSCRIPTION_KEY]: id } };
  return message('notifications/subscriptions/acknowledged', params);
}

export function notice(change: Change, subscription?: RequestId): string {
  const meta = subscription === undefined ? {} : { _meta: { [SUBSCRIPTION_KEY]: subscription } };
  if ('uri' in change)
    return message('notifications/resources/updated', { uri: change.uri, ...meta });
  const method = `notifications/${change.list}/list_changed`;
  return message(method, subscription === undefined ? undefined : meta);
}

export function taskNotice(task: object, subscription: RequestId): string {
  const params = { ...task, _meta: { [SUBSCRIPTION_KEY]: subscription } };
  return message('notifications/tasks', params);
}

function message(method: string, params: object | undefined): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
