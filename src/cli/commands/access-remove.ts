import { ACCESS_METHODS, type ClientSummary } from '#core/auth/access-admin.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'access remove',
  summary: 'Revoke the token of a client',
  positionals: [{ name: 'name', need: 'required', help: 'A client of exai access list' }],
  async run({ options, positionals }, io) {
    const params = { name: positionals['name'] ?? '' };
    const removed = (await runWithDaemon(io, (daemon) =>
      daemon.request(ACCESS_METHODS.remove, params),
    )) as ClientSummary;
    if (options.json) return printJson(io, { removed });
    io.stdout.write(`The token of ${removed.name} is refused from now on.\n`);
  },
});
