import { ACCESS_METHODS, type ClientSummary } from '#core/auth/access-admin.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'access list',
  summary: 'List clients with their scopes',
  options: { all: { type: 'boolean', help: 'Also those that were removed' } },
  async run({ options }, io) {
    const { clients: known } = (await runWithDaemon(io, (daemon) =>
      daemon.request(ACCESS_METHODS.list, {}),
    )) as { clients: ClientSummary[] };
    const clients = known.filter(({ expires }) => options.all || expires === undefined);
    if (options.json) return printJson(io, { clients });
    const rows = clients.map(({ name, principal, scopes, created, expires }) => [
      io.paint('bold', name),
      scopes.join(' '),
      io.paint('dim', expires === undefined ? `since ${created}` : `removed ${expires}`),
      // Only a client whose name was used before has its data under another principal.
      ...(principal === name ? [] : [io.paint('dim', `its data is that of ${principal}`)]),
    ]);
    io.stdout.write(formatColumns(rows, ''));
    if (rows.length === 0) {
      io.stdout.write("No client has a token: exai access add <name> --scope 'read:*'\n");
    }
  },
});
