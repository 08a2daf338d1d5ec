import { isObject } from './json-rpc.ts';

/** What the answer to `initialize` settled on; nothing when it is an error. */
export function negotiatedVersion(reply: string): string | undefined {
  const message: unknown = JSON.parse(reply);
  const result = isObject(message) ? message['result'] : undefined;
  const version = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}
