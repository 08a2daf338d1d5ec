import { hash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfExists, writePrivateFile } from '#config/home/private-files.ts';
import { asObject } from '#core/json/json.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { LoginFiles, StoredLogin } from '#hub/login/stored-login.ts';

const VERSION = 1;
const NAME_CHARS = 12;
const SUFFIX = '.json';

/**
 * Logins in files that only the user can read, below the folder of the store. They are not in the
 * database, so that neither its backups nor other daemons of it have them.
 */
export function openTokenFiles(dataDir: string, log: Pick<Log, 'warn'>): LoginFiles {
  const folder = join(dataDir, 'logins');

  function fileOf(server: string, principal: string): string {
    const mark = hash('sha256', `${server}\n${principal}`).slice(0, NAME_CHARS);
    return join(folder, `${server.replaceAll(/[^\w-]/g, '_')}-${mark}${SUFFIX}`);
  }

  function readFile(file: string): StoredLogin | undefined {
    try {
      keepPrivate(file, log);
      const text = readFileIfExists(file);
      return text === undefined ? undefined : parse(JSON.parse(text));
    } catch {
      // Nothing of the file is logged: it has tokens.
      log.warn('upstream_login_unreadable', { file });
      return undefined;
    }
  }

  return {
    read(server, principal) {
      const login = readFile(fileOf(server, principal));
      return login?.server === server && login.principal === principal ? login : undefined;
    },
    write(login) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ version: VERSION, ...login }, null, 2);
      writePrivateFile(fileOf(login.server, login.principal), `${text}\n`);
    },
    remove: (server, principal) => rmSync(fileOf(server, principal), { force: true }),
    list(server) {
      return namesIn(folder)
        .map((name) => readFile(join(folder, name)))
        .filter((login) => login?.server === server)
        .filter((login) => login !== undefined);
    },
  };
}

const OTHERS = 0o077;
/** Tokens, addresses and metadata that were bounded when they came. */
const MAX_BYTES = 1_048_576;

/**
 * Such as one that was copied back without its mode. Windows has no modes. A link is not followed: it
 * may name any file of the user.
 */
function keepPrivate(file: string, log: Pick<Log, 'warn'>): void {
  const about = lstatSync(file, { throwIfNoEntry: false });
  if (!about) return;
  if (!about.isFile() || about.size > MAX_BYTES) throw new TypeError('It is not a stored login.');
  if (process.platform === 'win32' || (about.mode & OTHERS) === 0) return;
  chmodSync(file, 0o600);
  log.warn('upstream_login_was_readable', { file });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  } catch {
    return [];
  }
}

const TEXTS = [
  'server',
  'url',
  'principal',
  'configuredClient',
  'issuer',
  'authorizationServerUrl',
];
const OPTIONAL_TEXTS = ['resource', 'requestedScope'];
const OPTIONAL_CLIENT_TEXTS = [
  'client_secret',
  'token_endpoint_auth_method',
  'registeredRedirectUrl',
];
/** As a header can carry it. */
const TOKEN = /^[\x21-\x7E]+$/;

/** A file that was written by this version or the ones before. */
function parse(value: unknown): StoredLogin | undefined {
  const given = asObject(value);
  if (!given || given['version'] !== VERSION) return undefined;
  const client = asObject(given['client']);
  const tokens = asObject(given['tokens']);
  const { accessToken, expiresAt } = tokens ?? {};
  const isWhole =
    TEXTS.every((name) => typeof given[name] === 'string') &&
    OPTIONAL_TEXTS.every((name) => isOptional(given[name], 'string')) &&
    (given['metadata'] === undefined || asObject(given['metadata']) !== undefined) &&
    typeof client?.['client_id'] === 'string' &&
    OPTIONAL_CLIENT_TEXTS.every((name) => isOptional(client[name], 'string')) &&
    isOptional(client['client_secret_expires_at'], 'number') &&
    (given['tokens'] === undefined ||
      (typeof accessToken === 'string' && TOKEN.test(accessToken))) &&
    ['refreshToken', 'scope'].every((name) => isOptional(tokens?.[name], 'string')) &&
    isOptional(expiresAt, 'number');
  if (!isWhole) return undefined;
  const { version: _, ...login } = given;
  return login as unknown as StoredLogin;
}

function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type;
}
