import type { Clock } from '#core/clock.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { VERSION } from '#core/version.ts';
import { BACKGROUND_KEY, WAIT_KEY, WHOLE_KEY } from '#mcp/meta-keys.ts';
import type { Link } from './link/link.ts';
import { createRpcClient, type RpcClient } from './rpc-client.ts';

export type { RequestOptions } from './rpc-client.ts';

export interface DaemonClient extends Pick<RpcClient, 'request'> {
  /** What the daemon has to say to its user. */
  readonly notices: readonly SentNotice[];
}

const PROTOCOL = '2025-11-25';
const OPENING_MS = 15_000;
/** Methods of our own need no opening of MCP. */
const OWN = 'exai/';

/** Works with the daemon over a link, which is closed afterwards, whatever came of it. */
export async function withDaemon<T>(
  reach: () => Promise<Link>,
  clock: Clock,
  work: (client: DaemonClient) => Promise<T>,
): Promise<T> {
  const link = await reach();
  try {
    return await work(createDaemonClient(link, clock));
  } finally {
    link.close();
  }
}

function createDaemonClient(link: Link, clock: Clock): DaemonClient {
  const rpc = createRpcClient(link, clock);
  let opened: Promise<void> | undefined;

  async function open(): Promise<void> {
    const clientInfo = { name: 'exai-cli', version: VERSION };
    const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
    await rpc.request('initialize', params, { timeoutMs: OPENING_MS });
    rpc.notify('notifications/initialized', {});
  }

  return {
    notices: link.welcome.notices,
    async request(method, params, options) {
      if (!method.startsWith(OWN)) await (opened ??= open());
      return rpc.request(method, method === 'tools/call' ? patiently(params) : params, options);
    },
  };
}

/** A command line waits as long as it takes and shows everything, unless it wants the work in the background. */
function patiently(params: { readonly _meta?: object }): object {
  const { _meta: meta = {} } = params;
  const wait = BACKGROUND_KEY in meta ? {} : { [WAIT_KEY]: true };
  return { ...params, _meta: { ...wait, [WHOLE_KEY]: true, ...meta } };
}
