import { hash, timingSafeEqual } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { Arrival, Doorman, Rotation } from '#core/doorman.ts';
import type { NewId } from '#core/ids.ts';
import type { ClientStore } from '#core/stores/clients.ts';

export interface DoormanOptions {
  /** The owner's own token. Empty when there is none: then whoever comes is the owner. */
  readonly token: string;
  readonly graceMs: number;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Throws `validation` when a new token of the owner's will not do. */
  readonly checkToken: (token: string) => void;
  /** Writes the owner's new token where the next daemon finds it. */
  readonly keepToken: (token: string) => Pick<Rotation, 'kept' | 'note'>;
}

/** Whoever owns this machine's user account. */
export const LOCAL: Caller = { principal: 'local', scopes: ['*'], roots: [] };

const FOR_EVER = Number.POSITIVE_INFINITY;

interface OwnToken {
  readonly digest: Buffer;
  /** As `clock.monotonic()` tells the time. */
  readonly goodUntil: number;
}

export function createDoorman(options: DoormanOptions): Doorman {
  const { clients, clock, graceMs } = options;
  let own: OwnToken[] = options.token === '' ? [] : [{ ...toOwn(options.token) }];

  /** Compares with every one of them, so that the time tells nothing. */
  function findOwn(token: string): OwnToken | undefined {
    const given = digest(token);
    const now = clock.monotonic();
    own = own.filter(({ goodUntil }) => goodUntil > now);
    return own.filter((known) => timingSafeEqual(known.digest, given))[0];
  }

  async function clientOf(token: string) {
    const client = await clients.byToken(digest(token).toString('hex'));
    const isGood = client && (client.expiresAt === null || client.expiresAt > clock.now());
    return isGood ? client : undefined;
  }

  return {
    async identify({ door, token = '' }: Arrival) {
      if (door === 'unix') return LOCAL;
      if (token === '') {
        if (own.length > 0) throw unauthorised('The token is missing.');
        return LOCAL;
      }
      if (findOwn(token)) return LOCAL;
      const client = await clientOf(token);
      // Never taken for the owner instead: a token that was taken away must not open more than it did.
      if (!client) throw unauthorised('The token is wrong or no longer good.');
      return { principal: client.name, scopes: client.scopes, roots: [] };
    },

    async rotate(oldToken, newToken) {
      if (oldToken === newToken) throw sameToken();
      const known = findOwn(oldToken);
      if (known) {
        // One on its way out must not choose its successor: it may be on its way out because it leaked.
        if (known.goodUntil !== FOR_EVER) throw unauthorised('The old token was replaced already.');
        options.checkToken(newToken);
        const { kept, note } = options.keepToken(newToken);
        const goodUntil = clock.monotonic() + graceMs;
        own = [
          toOwn(newToken),
          ...own.map((each) => (each === known ? { ...each, goodUntil } : each)),
        ];
        return { graceMs, kept, ...(note !== undefined && { note }) };
      }
      const client = await clientOf(oldToken);
      if (!client) throw unauthorised('The old token is wrong or no longer good.');
      if (client.expiresAt !== null) throw unauthorised('The old token was replaced already.');
      checkClientToken(newToken);
      const tokenSha256 = digest(newToken).toString('hex');
      const next = {
        id: options.newId('client'),
        name: client.name,
        tokenSha256,
        scopes: client.scopes,
      };
      await clients.replace(client.id, next, clock.now() + graceMs);
      return { graceMs, kept: true };
    },
  };
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
