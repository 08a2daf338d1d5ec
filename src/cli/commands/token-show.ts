import { daemonState } from '#app/daemon/daemon-state.ts';
import { daemonUrl, reachableUrl } from '#app/listeners/daemon-url.ts';
import { systemRandom } from '#app/system.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { ensureOwnerToken, tokenInEnvFile } from '#config/secrets/owner-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadConfigFor } from '../config-option.ts';
import { printJson } from '../io.ts';

/** The prefix of tokens of `exai access add`. */
const CLIENT_TOKEN = /^exai_/;

export const command = defineCommand({
  name: 'token show',
  summary: 'Print the owner’s token, which HTTP and WebSocket clients send',
  about:
    'Prints the token and nothing else on standard output, so that it can be used where it is needed:\n' +
    '  export OPENAI_API_KEY="$(exai token show)"\n' +
    '  claude mcp add --scope user --transport http exai http://127.0.0.1:8765/mcp \\\n' +
    '    --header "Authorization: Bearer $(exai token show)"\n' +
    'Anyone who has it can do everything that you can do with EX-AI. For a client with fewer permissions, use exai access add. ' +
    'Clients that start `exai stdio`, and the exai commands themselves, need no token.',
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const loaded = ensureOwnerToken(loadConfigFor(options, io), systemRandom);
    const token = ownerTokenOf(loaded);
    if (options.json) {
      return printJson(io, { token, header: `Authorization: Bearer ${token}`, url: urlOf(loaded) });
    }
    io.stdout.write(`${token}\n`);
    if (io.width === undefined) return;
    io.stderr.write(
      `Clients of ${urlOf(loaded) ?? 'the daemon'} send it as the header "Authorization: Bearer <token>".\n` +
        'Replace it with: exai token rotate\n',
    );
  },
});

/**
 * A client's token in the environment only acts as that client; the owner's token is in .env then.
 */
function ownerTokenOf(loaded: LoadedConfig): string {
  const { token, auth } = loaded.config;
  const owners = CLIENT_TOKEN.test(token) ? tokenInEnvFile(loaded) : token;
  if (owners !== undefined && owners !== '') return owners;
  if (auth.requireToken) {
    throw new CallError('not_configured', 'EXAI_TOKEN is the token of a client.', {
      field: 'token',
      fix: 'Unset EXAI_TOKEN, then run: exai token show',
    });
  }
  throw new CallError('not_configured', 'No token is set, and auth.requireToken is off.', {
    field: 'token',
    fix: 'Programs of your user on this machine need none. To require one, set auth.requireToken to true.',
  });
}

/** The URL that clients send it to; undefined without a TCP port, or while none is known. */
function urlOf({ config: { host, port, tls }, home }: LoadedConfig): string | undefined {
  const state = daemonState(home);
  if (state.is === 'running') return state.record.url && reachableUrl(state.record.url);
  if (port === 'off' || port === 0) return undefined;
  return daemonUrl({ host, port }, tls.cert === '' ? 'http' : 'https');
}
