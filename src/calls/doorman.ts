import { hash, timingSafeEqual } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { Arrival, Doorman, PeerUser, Rotation, TcpConnection } from '#core/doorman.ts';
import type { NewId } from '#core/ids.ts';
import { command } from '#core/messages/fixes.ts';
import { isGeneratedToken } from '#core/owner-token.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry.ts';
import { createGuessLimit } from './guess-limit.ts';

export interface DoormanOptions {
  /** The owner's own token; empty when there is none. */
  readonly token: string;
  /** Whether a TCP caller without a token is taken for the owner, without roots, if it is a program of the same user. */
  readonly anonymous: 'allowed' | 'refused';
  /** Whose program a TCP connection leads to. */
  readonly peerUser: (connection: TcpConnection | undefined) => Promise<PeerUser>;
  readonly graceMs: number;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  /** Throws `validation` when a new token of the owner's will not do. */
  readonly checkToken: (token: string) => void;
  /** Writes the owner's new token where the next daemon finds it. */
  readonly keepToken: (token: string) => Pick<Rotation, 'kept' | 'note'>;
}

/** Whoever owns this machine's user account. */
export const LOCAL: Caller = { principal: 'local', scopes: ['*'], roots: [] };

const ANONYMOUS: Caller = { ...LOCAL, isAnonymous: true };

/** How the tokens of `exai access add` begin. */
export const CLIENT_TOKEN_PREFIX = 'exai_';

const FOR_EVER = Number.POSITIVE_INFINITY;
const REFUSALS_PER_MINUTE = 20;

// Of many daemons on one store the others learn within this time that a token was taken away.
const KNOWN_FOR_MS = 5000;
const MAX_KNOWN = 1024;

const REPLACED = 'The old token was replaced already.';
const TOO_MANY = 'Too many invalid tokens came from this address.';
const OTHER_USER = 'This connection comes from a program of another user, and has no token.';

interface OwnToken {
  readonly digest: Buffer;
  /** Whether it was generated, so that nobody can guess it. */
  readonly isRandom: boolean;
  /** As `clock.monotonic()` tells the time. */
  readonly goodUntil: number;
}

/** A doorman who also knows when those who are in must go. */
export interface TokenDoorman extends Doorman {
  /** Whether what the caller came in with still opens the door: a connection may outlive its token. */
  isGood(caller: Caller): boolean;
  /** Revokes a credential, and every connection that uses it. */
  revoke(credential: string): void;
  /** Puts a new token in place of the owner's; the old one is refused at once, or after the usual grace. */
  replaceOwn(newToken: string, oldEnds: 'at_once' | 'after_grace'): Rotation;
}

export function createDoorman(options: DoormanOptions): TokenDoorman {
  const { clients, clock, graceMs, log } = options;
  const warn = sparingWarn(log, clock, REFUSALS_PER_MINUTE);
  /** Credentials that have been replaced or taken away, and when they cease to be good. */
  const ending = new Map<string, number>();
  /** Clients that came a moment ago, by the digest of their token: over HTTP they come with every request. */
  const lately = createBoundedMap<string, { readonly caller: Caller; readonly until: number }>({
    maxEntries: MAX_KNOWN,
  });
  let own: OwnToken[] = options.token === '' ? [] : [toOwn(options.token)];
  const guesses = createGuessLimit(clock);
  /** The good token that each connection came with first: others' guesses from its address do not stop its requests. */
  const proven = new WeakMap<TcpConnection, Buffer>();

  /** Compares with every one of them, so that the time tells nothing. */
  function findOwn(given: Buffer): OwnToken | undefined {
    const now = clock.monotonic();
    own = own.filter(({ goodUntil }) => goodUntil > now);
    return own.filter((known) => timingSafeEqual(known.digest, given))[0];
  }

  function stillGood(client: Client | undefined): Client | undefined {
    const isOver = client && client.expiresAt !== null && client.expiresAt <= clock.now();
    return isOver ? undefined : client;
  }

  function isGood({ credential }: Caller): boolean {
    return credential === undefined || clock.monotonic() < (ending.get(credential) ?? FOR_EVER);
  }

  function knownLately(tokenSha256: string): Caller | undefined {
    const known = lately.get(tokenSha256);
    if (!known) return undefined;
    if (clock.monotonic() < known.until && isGood(known.caller)) return known.caller;
    lately.delete(tokenSha256);
    return undefined;
  }

  function remember(tokenSha256: string, caller: Caller): Caller {
    lately.set(tokenSha256, { caller, until: clock.monotonic() + KNOWN_FOR_MS });
    return caller;
  }

  function isProven(connection: TcpConnection | undefined, given: Buffer): boolean {
    return connection !== undefined && proven.get(connection)?.equals(given) === true;
  }

  function prove(connection: TcpConnection | undefined, given: Buffer): void {
    if (connection && !proven.has(connection)) proven.set(connection, given);
  }

  /** Logs a refused token, and throws. */
  function refuse(message: string, during: 'rotation' | NonNullable<Arrival['during']>): never {
    if (during !== 'request') warn('token_refused', { during, reason: message });
    throw unauthorised(message);
  }

  function postpone(retryAfterMs: number, during: NonNullable<Arrival['during']>): never {
    if (during !== 'request') warn('token_refused', { during, reason: TOO_MANY });
    const fixes = ['Wait, then send a valid token.', command('exai token show', 'print it')];
    throw new CallError('rate_limit', TOO_MANY, { field: 'token', retryAfterMs, fixes });
  }

  /** Without a token it depends on whose program it is, where that is enough at all. */
  async function identifyByUser(
    connection: TcpConnection | undefined,
    during: NonNullable<Arrival['during']>,
  ): Promise<Caller> {
    if (options.anonymous === 'refused') return refuse('A token is required over TCP.', during);
    const user = await options.peerUser(connection);
    return user === 'other' ? refuse(OTHER_USER, during) : ANONYMOUS;
  }

  function end(credential: string, inMs: number): void {
    const at = clock.monotonic() + inMs;
    ending.set(credential, Math.min(at, ending.get(credential) ?? at));
  }

  function replaceOwn(newToken: string, oldForMs: number): Rotation {
    options.checkToken(newToken);
    const { kept, note } = options.keepToken(newToken);
    const goodUntil = clock.monotonic() + oldForMs;
    const old = own.map((each) => (each.goodUntil > goodUntil ? { ...each, goodUntil } : each));
    for (const each of old) end(nameOf(each), each.goodUntil - clock.monotonic());
    own = [toOwn(newToken), ...old];
    log.info('token_rotated', { principal: LOCAL.principal, grace_ms: oldForMs, kept });
    return { graceMs: oldForMs, kept, ...(note !== undefined && { note }) };
  }

  return {
    isGood,

    replaceOwn: (newToken, oldEnds) => replaceOwn(newToken, oldEnds === 'at_once' ? 0 : graceMs),

    revoke: (credential) => end(credential, 0),

    async identify({ door, token = '', connection, during = 'hello' }: Arrival) {
      if (token === '') return door === 'unix' ? LOCAL : identifyByUser(connection, during);
      const given = digest(token);
      const isExempt = door === 'unix' || guesses.isIdle || isProven(connection, given);
      const waitMs = isExempt ? 0 : guesses.waitMs(addressOf(connection));
      const known = findOwn(given);
      if (known) {
        if (waitMs > 0 && !known.isRandom) return postpone(waitMs, during);
        prove(connection, given);
        return { ...LOCAL, credential: nameOf(known) };
      }
      const tokenSha256 = given.toString('hex');
      const caller = knownLately(tokenSha256);
      const isRandom = isRandomClientToken(token);
      if (caller && (waitMs === 0 || isRandom)) return caller;
      const found = await clients.byToken(tokenSha256);
      // Who opens the socket file is the owner, unless it acts for a client. A text of another kind, such as the owner's token
      // of another home, says nothing there; a client's that is misspelt or of elsewhere is still meant to open less.
      if (door === 'unix' && !found && !token.startsWith(CLIENT_TOKEN_PREFIX)) return LOCAL;
      const client = stillGood(found);
      if (waitMs > 0 && !(client && isRandom)) return postpone(waitMs, during);
      // Never taken for the owner instead: a token that was taken away must not open more than it did.
      if (!client) {
        if (door !== 'unix') guesses.refused(addressOf(connection), tokenSha256);
        if (door === 'unix') throw invalidOnSocket();
        return refuse('Invalid token.', during);
      }
      prove(connection, given);
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
        // A token that is being replaced cannot be rotated: it may be replaced because it leaked.
        if (known.goodUntil !== FOR_EVER) return refuse(REPLACED, 'rotation');
        return replaceOwn(newToken, graceMs);
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
      await clients.replace(client.id, next, clock.now() + graceMs);
      end(client.id, graceMs);
      log.info('token_rotated', { principal: client.name, grace_ms: graceMs, kept: true });
      return { graceMs, kept: true };
    },
  };
}

/** Of the owner's tokens there are several while one takes the place of another. */
function nameOf({ digest: own }: OwnToken): string {
  return own.toString('hex', 0, 8);
}

function toOwn(token: string): OwnToken {
  return { digest: digest(token), isRandom: isGeneratedToken(token), goodUntil: FOR_EVER };
}

/** As `exai access add` makes them; a client may have replaced its own by one that it chose. */
function isRandomClientToken(token: string): boolean {
  return /^exai_[\w-]{43}$/.test(token);
}

/** Of IPv6 the network, as one machine has as many addresses as it likes. */
function addressOf(connection: TcpConnection | undefined): string {
  const address = connection?.remoteAddress ?? '';
  const isNetwork = address.includes(':') && !address.startsWith('::');
  return isNetwork ? address.split(':').slice(0, 4).join(':') : address;
}

/** Equal lengths, as the comparison needs them, whatever was sent. */
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
      fixes: [command('openssl rand -hex 32', 'make a long random text')],
    },
  );
}

function sameToken(): CallError {
  return new CallError('validation', 'The new token is the old one.', { field: 'new' });
}

/** Who comes by the socket file sends no header: its token comes from the environment. */
function invalidOnSocket(): CallError {
  return new CallError('auth', 'EXAI_TOKEN is not a valid token of this daemon.', {
    field: 'token',
    fixes: [
      'To act as the owner, unset EXAI_TOKEN.',
      command('exai access add <name>', 'make a token'),
    ],
  });
}

function unauthorised(message: string): CallError {
  return new CallError('auth', message, {
    field: 'token',
    fixes: [
      'Send the header "Authorization: Bearer <token>".',
      command('exai token show', 'print the token of the owner'),
      command('exai access add <name>', 'make one for a client'),
    ],
  });
}
