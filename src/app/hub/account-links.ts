import type { Hub } from '#core/hub/upstream.ts';
import { linkAccounts } from '#hub/composio/link-accounts.ts';
import type { ComposioConnector } from '#hub/composio/connect-composio.ts';
import type { AccountLinks } from '#tools/search/manage-connections.ts';

/** The accounts behind Composio, for the tool that manages connections. */
export function accountLinks(server: string, hub: Hub, connector: ComposioConnector): AccountLinks {
  return {
    server,
    async link(toolkits, action, context) {
      if (!connector.account()) await hub.find(server)?.connect();
      const account = connector.account();
      if (!account) return [];
      return linkAccounts(account, toolkits, action, context.signal);
    },
  };
}
