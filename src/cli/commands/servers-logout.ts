import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson } from '../io.ts';
import { callLogin } from '../servers/servers.ts';

export const command = defineCommand({
  name: 'servers logout',
  summary: 'Log out of an MCP server: delete its tokens, and revoke them where it can',
  about:
    'Its tools then need another login. With shared false, the logins of all callers are deleted.',
  positionals: [{ name: 'name', need: 'required', help: 'As exai servers list tells it' }],
  async run({ options, positionals }, io) {
    const answer = await callLogin(io, 'logout', { name: positionals['name'] ?? '' });
    if (options.json) return printJson(io, answer);
    const { deleted, revoked } = answer;
    const server = escapeControls(answer.server);
    if (deleted === 0) {
      io.stdout.write(`There is no login to ${server}.\n`);
      return;
    }
    const note =
      revoked === deleted
        ? 'Its authorization server has revoked the tokens.'
        : 'The tokens are deleted here; the authorization server did not revoke them, so they are valid there until they expire.';
    io.stdout.write(`Logged out of ${server}. ${note}\n`);
  },
});
