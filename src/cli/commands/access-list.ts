import { ACCESS_METHODS, type ClientSummary } from '#core/access-admin.ts';
import { askDaemon } from '../ask-daemon.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'access list',
  summary: 'Show which clients have a token, and for what',
  async run({ options }, io) {
    const { clients } = (await askDaemon(io, (daemon) =>
      daemon.request(ACCESS_METHODS.list, {}),
    )) as { clients: ClientSummary[] };
    if (options.json) return printJson(io, { clients });
    const rows = clients.map(({ name, scopes, created, expires }) => [
      io.paint('bold', name),
      scopes.join(' '),
      io.paint('dim', expires === undefined ? `since ${created}` : `its token ends ${expires}`),
    ]);
    io.stdout.write(columns(rows, ''));
    if (rows.length === 0) {
      io.stdout.write(
        "No client has a token of its own: exai access add <name> --scope 'read:*'\n",
      );
    }
  },
});
