import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { hash, timingSafeEqual } from 'node:crypto';
import type {
  Authenticator,
  Credentials,
  PeerUser,
  Rotation,
  TcpConnection,
} from '#core/auth/authenticator.ts';
import { CLIENT_TOKEN_PREFIX, isGeneratedClientToken } from '#core/auth/client-token.ts';
import { isGeneratedToken } from '#core/auth/owner-token.ts';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import type { Random } from '#core/random.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { createGuessLimit } from './guess-limit.ts';
import { createTemporaryTokens, type TemporaryTokens } from './temporary-tokens.ts';

export interface AuthenticatorOptions {
  /** The owner's token; empty if there is none. */
  readonly token: string;
  /**
   * Whether a TCP caller without a token counts as the owner, without roots, if it runs as the same
   * user.
   */
  readonly anonymous: 'allowed' | 'refused';
  /** Which user runs the peer process of a TCP connection. */
  readonly peerUser: (connection: TcpConnection | undefined) => Promise<PeerUser>;
  readonly graceMs: number;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly random: Random;
  readonly log: Log;
  /** Throws `validation` for an unsuitable new owner token. */
  readonly checkToken: (token: string) => void;
  /** Saves the owner's new token for the next daemon. */
  readonly saveToken: (token: string) => Pick<Rotation, 'kept' | 'note'>;
}

/** The owner of this machine's user account, who may do everything. */
export const OWNER: Caller = { principal: OWNER_PRINCIPAL, scopes: ['*'], roots: [] };

const ANONYMOUS: Caller = { ...OWNER, isAnonymous: true };

const FOR_EVER = Number.POSITIVE_INFINITY;
const REFUSALS_PER_MINUTE = 20;

// Cache lifetime: within this time other daemons on the same store notice a revoked token.
const KNOWN_FOR_MS = 5000;
const MAX_KNOWN = 1024;

const REPLACED = 'The old token was replaced already.';
const TOO_MANY = 'Too many invalid tokens came from this address.';
const OTHER_USER = 'This connection comes from a program of another user, and has no token.';

interface OwnToken {
  readonly digest: Buffer;
  /** Whether it was generated and so cannot be guessed. */
  readonly isRandom: boolean;
  /** In `clock.monotonic()` time. */
  readonly goodUntil: number;
}

/** An authenticator that can also check, revoke and replace credentials. */
export interface TokenAuthenticator extends Authenticator {
  /** Whether the caller's credential is still valid; a connection may outlive its token. */
  isCredentialValid(caller: Caller): boolean;
  readonly temporary: TemporaryTokens;
  /** Revokes a credential, and every connection that uses it. */
  revoke(credential: string): void;
  /** Reads which tokens other daemons of the store revoked or replaced. */
  refresh(): Promise<void>;
  /** Replaces the owner's token; the old one expires at once or after the grace period. */
  replaceOwn(newToken: string, oldEnds: 'at_once' | 'after_grace'): Rotation;
}

export function createAuthenticator(options: AuthenticatorOptions): TokenAuthenticator {
  const { clients, clock, log } = options;
  const warn = createRateLimitedLog(log, clock, REFUSALS_PER_MINUTE);
  /** Expiry times of replaced and revoked credentials. */
  const ending = new Map<string, number>();
  /**
   * Recently authenticated clients by token digest; over HTTP they authenticate with every request.
   */
  const recent = createBoundedMap<string, { readonly caller: Caller; readonly until: number }>({
    maxEntries: MAX_KNOWN,
  });
  let own: OwnToken[] = options.token === '' ? [] : [toOwn(options.token)];
  const guesses = createGuessLimit(clock);
  const temporary = createTemporaryTokens(options);
  /**
   * The first valid token of each connection, so that guesses by others from its address do not
   * block it.
   */
  const proven = new WeakMap<TcpConnection, Buffer>();

  /** Compares with all tokens, so that timing reveals nothing. */
  function findOwn(tokenDigest: Buffer): OwnToken | undefined {
    const now = clock.monotonic();
    own = own.filter(({ goodUntil }) => goodUntil > now);
    return own.filter((known) => timingSafeEqual(known.digest, tokenDigest))[0];
  }

  function stillGood(client: Client | undefined): Client | undefined {
    const isOver = client && client.expiresAt !== null && client.expiresAt <= clock.now();
    return isOver ? undefined : client;
  }

  function isGood({ credential }: Caller): boolean {
    if (credential === undefined) return true;
    return (
      temporary.isValid(credential) ?? clock.monotonic() < (ending.get(credential) ?? FOR_EVER)
    );
  }

  function findRecent(tokenSha256: string): Caller | undefined {
    const known = recent.get(tokenSha256);
    if (!known) return undefined;
    if (clock.monotonic() < known.until && isGood(known.caller)) return known.caller;
    recent.delete(tokenSha256);
    return undefined;
  }

  function remember(tokenSha256: string, caller: Caller): Caller {
    recent.set(tokenSha256, { caller, until: clock.monotonic() + KNOWN_FOR_MS });
    return caller;
  }

  function isProven(connection: TcpConnection | undefined, tokenDigest: Buffer): boolean {
    return connection !== undefined && proven.get(connection)?.equals(tokenDigest) === true;
  }

  function prove(connection: TcpConnection | undefined, tokenDigest: Buffer): void {
    if (connection && !proven.has(connection)) proven.set(connection, tokenDigest);
  }

  /** Logs a refused token, and throws. */
  function refuse(message: string, phase: 'rotation' | NonNullable<Credentials['phase']>): never {
    if (phase !== 'request') warn('token_refused', { during: phase, reason: message });
    throw unauthorised(message);
  }

  function postpone(retryAfterMs: number, phase: NonNullable<Credentials['phase']>): never {
    if (phase !== 'request') warn('token_refused', { during: phase, reason: TOO_MANY });
    const fixes = ['Wait, then send a valid token.', commandFix('exai token show', 'print it')];
    throw new CallError('rate_limit', TOO_MANY, { field: 'token', retryAfterMs, fixes });
  }

  /**
   * Authenticates a caller without a token by the user of its process, if the settings allow that.
   */
  async function authenticateByUser(
    connection: TcpConnection | undefined,
    phase: NonNullable<Credentials['phase']>,
  ): Promise<Caller> {
    if (options.anonymous === 'refused') return refuse('A token is required over TCP.', phase);
    const user = await options.peerUser(connection);
    return user === 'other' ? refuse(OTHER_USER, phase) : ANONYMOUS;
  }

  function end(credential: string, inMs: number): void {
    const at = clock.monotonic() + inMs;
    ending.set(credential, Math.min(at, ending.get(credential) ?? at));
  }

  function replaceOwn(newToken: string, oldForMs: number): Rotation {
    options.checkToken(newToken);
    const { kept, note } = options.saveToken(newToken);
    const goodUntil = clock.monotonic() + oldForMs;
    const old = own.map((each) => (each.goodUntil > goodUntil ? { ...each, goodUntil } : each));
    for (const each of old) end(nameOf(each), each.goodUntil - clock.monotonic());
    own = [toOwn(newToken), ...old];
    log.info('token_rotated', { principal: OWNER.principal, grace_ms: oldForMs, kept });
    return { graceMs: oldForMs, kept, ...(note !== undefined && { note }) };
  }

  return {
    isCredentialValid: isGood,
    temporary,

    replaceOwn: (newToken, oldEnds) =>
      replaceOwn(newToken, oldEnds === 'at_once' ? 0 : options.graceMs),

    revoke: (credential) => end(credential, 0),

    async refresh() {
      const all = await clients.list();
      for (const client of all) {
        const { id, expiresAt } = client;
        if (expiresAt === null) continue;
        // The clocks of daemons differ: what was removed ends now, and what was replaced after the grace period at the latest.
        const leftMs = isReplaced(client, all)
          ? Math.min(expiresAt - clock.now(), options.graceMs)
          : 0;
        end(id, leftMs);
      }
    },

    async authenticate({ transport, token = '', connection, phase = 'hello' }: Credentials) {
      if (token === '') return transport === 'unix' ? OWNER : authenticateByUser(connection, phase);
      const tokenDigest = digest(token);
      const isExempt = transport === 'unix' || guesses.isIdle || isProven(connection, tokenDigest);
      const waitMs = isExempt ? 0 : guesses.waitMs(addressOf(connection));
      const known = findOwn(tokenDigest);
      if (known) {
        if (waitMs > 0 && !known.isRandom) return postpone(waitMs, phase);
        prove(connection, tokenDigest);
        return { ...OWNER, credential: nameOf(known) };
      }
      const tokenSha256 = tokenDigest.toString('hex');
      // The socket file is the owner's: a token that allows less has no use there.
      const issued = transport === 'unix' ? undefined : temporary.find(tokenSha256);
      const caller = issued ?? findRecent(tokenSha256);
      const isRandom = isGeneratedClientToken(token);
      if (caller && (waitMs === 0 || isRandom)) return caller;
      const found = await clients.byToken(tokenSha256);
      // A caller on the socket file is the owner, unless it acts for a client. Any other token,
      // such as the owner's token of another home, is ignored there. An invalid client token is
      // refused, as it was meant to grant less.
      if (transport === 'unix' && !found && !token.startsWith(CLIENT_TOKEN_PREFIX)) return OWNER;
      const good = stillGood(found);
      const client = good && isGood({ ...OWNER, credential: good.id }) ? good : undefined;
      if (waitMs > 0 && !(client && isRandom)) return postpone(waitMs, phase);
      // Not treated as the owner: a revoked token must not grant more than it did.
      if (!client) {
        if (transport !== 'unix') guesses.refused(addressOf(connection), tokenSha256);
        if (transport === 'unix') throw invalidOnSocket();
        return refuse('Invalid token.', phase);
      }
      prove(connection, tokenDigest);
      const { id, principal, scopes, expiresAt } = client;
      if (expiresAt !== null) end(id, expiresAt - clock.now());
      return remember(tokenSha256, { principal, scopes, roots: [], credential: id });
    },

    async rotate(oldToken, newToken, by) {
      if (oldToken === newToken) throw sameToken();
      const known = findOwn(digest(oldToken));
      const isOther = (credential: string) =>
        by?.credential !== undefined && by.credential !== credential;
      if (known && !isOther(nameOf(known))) {
        // A token in its grace period cannot be rotated, as it may have been replaced because it
        // leaked.
        if (known.goodUntil !== FOR_EVER) return refuse(REPLACED, 'rotation');
        return replaceOwn(newToken, options.graceMs);
      }
      const client = stillGood(await clients.byToken(digest(oldToken).toString('hex')));
      if (!client || isOther(client.id)) {
        return refuse('The old token is invalid.', 'rotation');
      }
      if (client.expiresAt !== null) return refuse(REPLACED, 'rotation');
      checkClientToken(newToken);
      const tokenSha256 = digest(newToken).toString('hex');
      const next = {
        id: options.newId('client'),
        name: client.name,
        principal: client.principal,
        tokenSha256,
        scopes: client.scopes,
      };
      const { graceMs } = options;
      await clients.replace(client.id, next, clock.now() + graceMs);
      end(client.id, graceMs);
      log.info('token_rotated', { principal: client.name, grace_ms: graceMs, kept: true });
      return { graceMs, kept: true };
    },
  };
}

/**
 * Whether another token of the same client replaced it: that was made before this one ended. A
 * client that was removed and added again has another principal, or a token that was made after it.
 */
function isReplaced({ principal, expiresAt }: Client, all: readonly Client[]): boolean {
  const isNext = (other: Client) => other.expiresAt === null && other.principal === principal;
  return all.some((other) => isNext(other) && other.createdAt < (expiresAt ?? FOR_EVER));
}

/** Credential id of an owner token; during a rotation there are several. */
function nameOf({ digest: own }: OwnToken): string {
  return own.toString('hex', 0, 8);
}

function toOwn(token: string): OwnToken {
  return { digest: digest(token), isRandom: isGeneratedToken(token), goodUntil: FOR_EVER };
}

/** The address, or for IPv6 the /64 network, as one machine can use any address in it. */
function addressOf(connection: TcpConnection | undefined): string {
  const address = connection?.remoteAddress ?? '';
  const isNetwork = address.includes(':') && !address.startsWith('::');
  return isNetwork ? address.split(':').slice(0, 4).join(':') : address;
}

/** A digest, as the constant-time comparison needs equal lengths. */
function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

const CLIENT_TOKEN = /^[!-~]{16,512}$/;

function checkClientToken(token: string): void {
  if (CLIENT_TOKEN.test(token)) return;
  throw new CallError(
    'validation',
    'The new token must have 16 to 512 plain characters without spaces.',
    {
      field: 'new',
      fixes: [commandFix('openssl rand -hex 32', 'make a long random text')],
    },
  );
}

function sameToken(): CallError {
  return new CallError('validation', 'The new token is the old one.', { field: 'new' });
}

/** On the socket file there is no header: the token comes from the environment. */
function invalidOnSocket(): CallError {
  return new CallError('auth', 'EXAI_TOKEN is not a valid token of this daemon.', {
    field: 'token',
    fixes: [
      'To act as the owner, unset EXAI_TOKEN.',
      commandFix('exai access add <name>', 'make a token'),
    ],
  });
}

function unauthorised(message: string): CallError {
  return new CallError('auth', message, {
    field: 'token',
    fixes: [
      'Send the header "Authorization: Bearer <token>".',
      commandFix('exai token show', 'print the token of the owner'),
      commandFix('exai access add <name>', 'make one for a client'),
    ],
  });
}

/**
 * Resolves a stored caller to its current scopes and credential. Undefined if it has no valid token
 * any more.
 */
type ResolveCaller = (caller: Caller) => Promise<Caller | undefined>;

export function createCallerResolver(
  clients: Pick<ClientStore, 'list'>,
  clock: Pick<Clock, 'now'>,
): ResolveCaller {
  return async ({ credential, ...caller }) => {
    // The owner stays the owner, with or without a token.
    if (caller.principal === OWNER.principal || credential === undefined) return caller;
    const now = clock.now();
    const client = (await clients.list()).find(
      ({ principal, expiresAt }) => principal === caller.principal && (expiresAt ?? Infinity) > now,
    );
    return client && { ...caller, scopes: client.scopes, credential: client.id };
  };
}
