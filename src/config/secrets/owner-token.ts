import { GENERATED_TOKEN_PREFIX } from '#core/auth/owner-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import type { Random } from '#core/random.ts';
import { editEnvFile, setVariable } from './dotenv-edit.ts';
import { readDotenv } from '../load/dotenv.ts';
import { prepareHome } from '../home/home.ts';
import type { LoadedConfig } from '../load/load.ts';
import { DEFAULT_ORIGIN, describeOrigin, type Origin } from '../load/origin.ts';
import { createReport } from '../load/report.ts';
import { findSetting } from '../schema/settings.ts';
import { fromDotenv } from '../load/variables.ts';

const GENERATED_BYTES = 32;

/** Minimum length, because anyone who reaches the port can guess. */
const MIN_TOKEN_CHARS = 16;
const OWNER_TOKEN = /^[!-~]{16,8192}$/;

export function generateOwnerToken(random: Random): string {
  return `${GENERATED_TOKEN_PREFIX}${Buffer.from(random(GENERATED_BYTES)).toString('base64url')}`;
}

/** Throws `validation` for a token that is too short or not valid in a header. */
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
          : [commandFix('exai token rotate', 'generate one')],
    },
  );
}

/**
 * The configuration with an owner token: where TCP callers need one and none is set, a random one
 * is written to the .env of the home. Two processes that do so at once end up with the same token.
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

/** The token in the .env of the home; the environment is not considered. */
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

interface StoredOwnerToken {
  /** Whether the next daemon will use it. */
  readonly kept: boolean;
  readonly note?: string;
}

/** Writes a new token to the .env of the home, unless a stronger source sets the old one. */
export function storeOwnerToken({ home, origins }: LoadedConfig, token: string): StoredOwnerToken {
  const origin = origins.get('token') ?? DEFAULT_ORIGIN;
  if (origin.kind !== 'dotenv' && origin.kind !== 'default') {
    const place = describeOrigin(origin);
    return {
      kept: false,
      note: `The daemon takes its token from ${place}. Set ${place} to the new token, or the next start uses the old one.`,
    };
  }
  editEnvFile(home.envFile, (text) => setVariable(text, tokenVariables(), token));
  return { kept: true };
}
