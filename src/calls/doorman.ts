import { hash, timingSafeEqual } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { Arrival, Doorman, Rotation } from '#core/doorman.ts';
import type { NewId } from '#core/ids.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry.ts';

export interface DoormanOptions {
  /** The owner's own token. Empty when there is none: then whoever comes is the owner. */
  readonly token: string;
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

/** How the tokens of `exai access add` begin. */
export const CLIENT_TOKEN_PREFIX = 'exai_';

const FOR_EVER = Number.POSITIVE_INFINITY;
const REFUSALS_PER_MINUTE = 20;

// Of many daemons on one store the others learn within this time that a token was taken away.
const KNOWN_FOR_MS = 5000;
const MAX_KNOWN = 1024;

const REPLACED = 'The old token was replaced already.';

interface OwnToken {
  readonly digest: Buffer;
  /** As `clock.monotonic()` tells the time. */
  readonly goodUntil: number;
}

/** A doorman who also knows when those who are in must go. */
export interface TokenDoorman extends Doorman {
  /** Whether what the caller came in with still opens the door: a connection may outlive its token. */
  isGood(caller: Caller): boolean;
  /** This credential opens nothing any more, nor does any connection that came by it. */
  revoke(credential: string): void;
}

export function createDoorman(options: DoormanOptions): TokenDoorman {
  const { clients, clock, graceMs, log } = options;
  const warn = sparingWarn(log, clock, REFUSALS_PER_MINUTE);
  /** Credentials that have been replaced or taken away, and when they cease to be good. */
  const ending = new Map<string, number>();
  /** Clients that came a moment ago, by the digest of their token: over HTTP they come with every request. */
  const lately = new Map<string, { readonly caller: Caller; readonly until: number }>();
  let own: OwnToken[] = options.token === '' ? [] : [{ ...toOwn(options.token) }];

  /** Compares with every one of them, so that the time tells nothing. */
  function findOwn(token: string): OwnToken | undefined {
    const given = digest(token);
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
    if (lately.size >= MAX_KNOWN) lately.clear();
    lately.set(tokenSha256, { caller, until: clock.monotonic() + KNOWN_FOR_MS });
    return caller;
  }

  /** Somebody came with what opens nothing: of the owner's interest, whatever becomes of it. */
  function refuse(message: string, during: 'rotation' | NonNullable<Arrival['during']>): never {
    if (during !== 'request') warn('token_refused', { during, reason: message });
    throw unauthorised(message);
  }

  function end(credential: string, inMs: number): void {
    const at = clock.monotonic() + inMs;
    ending.set(credential, Math.min(at, ending.get(credential) ?? at));
  }

  return {
    isGood,

    revoke: (credential) => end(credential, 0),

    async identify({ door, token = '', during = 'hello' }: Arrival) {
      if (token === '') {
        if (own.length > 0 && door !== 'unix') refuse('The token is missing.', during);
        return LOCAL;
      }
      const known = findOwn(token);
      if (known) return { ...LOCAL, credential: nameOf(known) };
      const tokenSha256 = digest(token).toString('hex');
      const caller = knownLately(tokenSha256);
      if (caller) return caller;
      const found = await clients.byToken(tokenSha256);
      // Who opens the socket file is the owner, unless it acts for a client. A text of another kind, such as the owner's token
      // of another home, says nothing there; a client's that is misspelt or of elsewhere is still meant to open less.
      if (door === 'unix' && !found && !token.startsWith(CLIENT_TOKEN_PREFIX)) return LOCAL;
      const client = stillGood(found);
      // Never taken for the owner instead: a token that was taken away must not open more than it did.
      if (!client) return refuse('The token is wrong or no longer good.', during);
      const { id, name, scopes, expiresAt } = client;
      if (expiresAt !== null) end(id, expiresAt - clock.now());
      return remember(tokenSha256, { principal: name, scopes, roots: [], credential: id });
    },

    async rotate(oldToken, newToken) {
      if (oldToken === newToken) throw sameToken();
      const known = findOwn(oldToken);
      if (known) {
        // One on its way out must not choose its successor: it may be on its way out because it leaked.
        if (known.goodUntil !== FOR_EVER) return refuse(REPLACED, 'rotation');
        options.checkToken(newToken);
        const { kept, note } = options.keepToken(newToken);
        const goodUntil = clock.monotonic() + graceMs;
        end(nameOf(known), graceMs);
        own = [
          toOwn(newToken),
          ...own.map((each) => (each === known ? { ...each, goodUntil } : each)),
        ];
        log.info('token_rotated', { principal: LOCAL.principal, grace_ms: graceMs, kept });
        return { graceMs, kept, ...(note !== undefined && { note }) };
      }
      const client = stillGood(await clients.byToken(digest(oldToken).toString('hex')));
      if (!client) {
        return refuse('The old token is wrong or no longer good.', 'rotation');
      }
      if (client.expiresAt !== null) return refuse(REPLACED, 'rotation');
      checkClientToken(newToken);
      const tokenSha256 = digest(newToken).toString('hex');
      const next = {
        id: options.newId('client'),
        name: client.name,
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
  return { digest: digest(token), goodUntil: FOR_EVER };
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
      fix: 'Take a long random text, such as the output of: openssl rand -hex 32',
    },
  );
}

function sameToken(): CallError {
  return new CallError('validation', 'The new token is the old one.', { field: 'new' });
}

function unauthorised(message: string): CallError {
  return new CallError('auth', message, {
    field: 'token',
    fix: 'Give the EXAI_TOKEN of this daemon, or a client token from: exai access add',
  });
}
