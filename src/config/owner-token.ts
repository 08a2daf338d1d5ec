import { CallError } from '#core/call-error.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { GENERATED_TOKEN_PREFIX } from '#core/owner-token.ts';
import type { Random } from '#core/random.ts';
import { setVariable } from './dotenv-edit.ts';
import { readDotenv } from './dotenv.ts';
import { editEnvFile } from './env-file.ts';
import { prepareHome } from './home.ts';
import type { LoadedConfig } from './load.ts';
import { DEFAULT_ORIGIN, type Origin } from './origin.ts';
import { createReport } from './report.ts';
import { findSetting } from './settings.ts';
import { fromDotenv } from './variables.ts';

const GENERATED_BYTES = 32;

/** Anybody who reaches the port may guess. */
export const MIN_TOKEN_CHARS = 16;
const OWNER_TOKEN = /^[!-~]{16,8192}$/;

export function generateOwnerToken(random: Random): string {
  return `${GENERATED_TOKEN_PREFIX}${Buffer.from(random(GENERATED_BYTES)).toString('base64url')}`;
}

/** Throws `validation` for a token that is too short, or that no header could carry. */
export function checkOwnerToken(
  token: string,
  field: 'token' | 'new',
  origin: Origin = DEFAULT_ORIGIN,
): void {
  if (OWNER_TOKEN.test(token)) return;
  const subject = field === 'new' ? 'The new token' : 'EXAI_TOKEN';
  throw new CallError(
    'validation',
    `${subject} must have at least ${MIN_TOKEN_CHARS} printable ASCII characters and no spaces.`,
    {
      field,
      fixes:
        origin.kind === 'env'
          ? [
              fix('unset_setting', { setting: origin.name }),
              fix('set_setting', {
                setting: origin.name,
                value: `a token with ${MIN_TOKEN_CHARS} characters or more`,
              }),
            ]
          : [command('exai token rotate', 'generate one')],
    },
  );
}

/**
 * The configuration with an owner token: where TCP callers need one and none is set, a random one is written to the .env of
 * the home. Two processes that do so at once end up with the same token.
 */
export function ensureOwnerToken(loaded: LoadedConfig, random: Random): LoadedConfig {
  if (loaded.config.token !== '' || !loaded.config.auth.requireToken) return loaded;
  prepareHome(loaded.home);
  editEnvFile(loaded.home.envFile, (text) =>
    tokenInEnvFile(loaded) === undefined
      ? setVariable(text, tokenVariables(), generateOwnerToken(random))
      : text,
  );
  const token = storedToken(loaded);
  if (token === undefined) return loaded;
  return {
    ...loaded,
    config: { ...loaded.config, token: token.value },
    origins: new Map([...loaded.origins, ['token', token.origin]]),
  };
}

/** The token that the .env of the home has, whatever the environment says. */
export function tokenInEnvFile(loaded: Pick<LoadedConfig, 'home'>): string | undefined {
  return storedToken(loaded)?.value;
}

function storedToken({
  home,
}: Pick<LoadedConfig, 'home'>): { readonly value: string; readonly origin: Origin } | undefined {
  const source = fromDotenv(readDotenv(home.envFile, createReport()));
  for (const name of tokenVariables()) {
    const value = source.get(name);
    if (value !== undefined) return { value, origin: source.origin(name) };
  }
  return undefined;
}

/** The variables that name the token, the current one first. */
export function tokenVariables(): [string, ...string[]] {
  const [first = 'EXAI_TOKEN', ...others] =
    findSetting('token')?.variables.map(({ name }) => name) ?? [];
  return [first, ...others];
}
