import { daemonState } from '#app/daemon/daemon-state.ts';
import { systemRandom } from '#app/system.ts';
import { prepareHome } from '#config/home/home.ts';
import { generateOwnerToken, storeOwnerToken } from '#config/secrets/owner-token.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { ROTATE_TOKEN_METHOD, type TokenRotated } from '#core/auth/owner-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { formatDuration } from '#core/text/format.ts';
import { defineCommand } from '../command.ts';
import { loadConfigFor } from '../config-option.ts';
import { printJson, type Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'token rotate',
  summary: 'Replace the owner’s token by a new random one',
  about:
    'The new token is written to EXAI_HOME/.env. A running daemon takes it at once, and the old one works for ' +
    'auth.rotationGraceMs longer (default: 5 minutes); without a daemon it is refused at once. Entries of exai init need no change, as they carry no token; ' +
    'clients that do carry it need the new one: exai token show.',
  options: {
    now: { type: 'boolean', help: 'Refuse the old token at once, for one that has leaked' },
  },
  async run({ options }, io) {
    const loaded = loadConfigFor({}, io);
    const rotated =
      daemonState(loaded.home).is === 'running'
        ? await rotateInDaemon(io, options.now === true ? { now: true } : {})
        : rotateInFile(loaded);
    if (options.json) return printJson(io, rotated);
    const { graceMs, note, token } = rotated;
    const file = loaded.home.envFile;
    io.stdout.write(note === undefined ? `A new token is in ${file}.\n` : `${note}\n`);
    if (token !== undefined) io.stdout.write(`${token}\n`);
    io.stdout.write(
      graceMs > 0
        ? `The old one works for ${formatDuration(Math.ceil(graceMs / 1000))} longer.\n`
        : 'The old one is refused.\n',
    );
    if (token === undefined) {
      io.stdout.write('Clients that carry the token need the new one: exai token show\n');
    }
  },
});

async function rotateInDaemon(io: Io, params: { now?: true }): Promise<TokenRotated> {
  return (await runWithDaemon(io, (daemon) => daemon.request(ROTATE_TOKEN_METHOD, params), {
    autostart: 'off',
  })) as TokenRotated;
}

function rotateInFile(loaded: LoadedConfig): TokenRotated {
  prepareHome(loaded.home);
  const { kept } = storeOwnerToken(loaded, generateOwnerToken(systemRandom));
  if (kept) return { graceMs: 0, kept };
  const origin = loaded.origins.get('token')?.name ?? 'EXAI_TOKEN';
  throw new CallError('conflict', `${origin} sets the token, and beats the .env of the home.`, {
    field: 'token',
    fix: `Change or unset ${origin}.`,
  });
}
