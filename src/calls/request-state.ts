import { createHmac, timingSafeEqual } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Answers } from '#core/question.ts';

/** Which call it was that asked. Its answers are good for no other. */
export interface StateOwner {
  readonly principal: string;
  /** What the caller came in with: of a token that was taken away nothing is left. */
  readonly credential: string;
  readonly tool: string;
  readonly argsSha256: string;
}

/** What a call is given to remember between two rounds. */
export interface RoundState {
  /** Of the rounds before. */
  readonly answers: Answers;
  /** The names of what was asked last. */
  readonly asked: readonly string[];
  /** The call that asked: no two states are alike. */
  readonly reqId: string;
  readonly askedAt: number;
}

/** It travels with the client, which can read it and must not be able to change it. */
export interface StateSeal {
  close(owner: StateOwner, state: Omit<RoundState, 'askedAt'>): string;
  /** Throws `validation` when it is not what we gave out for this call, or too old. */
  open(owner: StateOwner, text: string): RoundState;
}

type Sealed = StateOwner & RoundState;

// People answer forms after lunch; nobody does so days later.
const LIFETIME_MS = 24 * 60 * 60 * 1000;
const MAX_CHARS = 262_144;

export function createStateSeal(key: Uint8Array, clock: Clock): StateSeal {
  const sign = (body: string) => createHmac('sha256', key).update(body).digest();
  return {
    close(owner, state) {
      const sealed: Sealed = { ...owner, ...state, askedAt: clock.now() };
      const body = Buffer.from(JSON.stringify(sealed)).toString('base64url');
      if (body.length > MAX_CHARS) {
        throw new CallError('too_large', 'The answers so far are too long to go on with.');
      }
      return `${body}.${sign(body).toString('base64url')}`;
    },
    open(owner, text) {
      const [body = '', signature = '', ...more] =
        text.length > 2 * MAX_CHARS ? [] : text.split('.');
      const given = Buffer.from(signature, 'base64url');
      const right = sign(body);
      const isOurs =
        more.length === 0 && given.length === right.length && timingSafeEqual(given, right);
      // Decoding is lenient: another spelling of the same bytes is still not what we gave out.
      if (!isOurs || right.toString('base64url') !== signature)
        throw refused('it was changed on its way');
      const sealed = JSON.parse(Buffer.from(body, 'base64url').toString()) as Sealed;
      if (clock.now() - sealed.askedAt > LIFETIME_MS) throw refused('it is too old');
      const isFor =
        sealed.principal === owner.principal &&
        sealed.credential === owner.credential &&
        sealed.tool === owner.tool &&
        sealed.argsSha256 === owner.argsSha256;
      if (!isFor) throw refused('it belongs to another call');
      return sealed;
    },
  };
}

function refused(why: string): CallError {
  return new CallError('validation', `This requestState is no good: ${why}.`, {
    field: 'requestState',
    fix: 'Make the call again without it.',
  });
}
