import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CallRequest } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { InputResponses } from '#core/tools/input-request.ts';

/** The call that a sealed state belongs to; the state is invalid for any other call. */
export interface StateOwner {
  readonly principal: string;
  /** Credential of the caller; a revoked token invalidates its states. */
  readonly credential: string;
  /** Absent where no agent calls, as in states from before there were any. */
  readonly agent?: string;
  readonly tool: string;
  readonly argsSha256: string;
}

/** The call that a sealed state belongs to. */
export function ownerOf(
  { toolName, argsSha256 }: { readonly toolName: string; readonly argsSha256: string },
  { caller }: Pick<CallRequest, 'caller'>,
): StateOwner {
  const { principal, credential = '', agent } = caller;
  const who = { principal, credential, ...(agent !== undefined && { agent }) };
  return { ...who, tool: toolName, argsSha256 };
}

/** The state that a call carries between two rounds of input requests. */
export interface RoundState {
  /** Responses of the previous rounds. */
  readonly answers: InputResponses;
  /** Names of the last input requests. */
  readonly asked: readonly string[];
  /** What the tool gave with them. */
  readonly handle?: string;
  /** Id of the requesting call, which makes every state unique. */
  readonly reqId: string;
  readonly askedAt: number;
}

/** Seals the state that the client sends back. The client can read it but not change it. */
export interface StateSeal {
  close(owner: StateOwner, state: Omit<RoundState, 'askedAt'>): string;
  /** Throws `validation` if it was not issued for this call, was changed, or is too old. */
  open(owner: StateOwner, text: string): RoundState;
}

type Sealed = StateOwner & RoundState;

// Users may answer a form hours later, but not days later.
const LIFETIME_MS = 24 * 60 * 60 * 1000;
const MAX_CHARS = 262_144;

export function createStateSeal(key: Uint8Array, clock: Clock): StateSeal {
  const sign = (body: string) => createHmac('sha256', key).update(body).digest();
  return {
    close(owner, state) {
      const sealed: Sealed = { ...owner, ...state, askedAt: clock.now() };
      const body = Buffer.from(JSON.stringify(sealed)).toString('base64url');
      if (body.length > MAX_CHARS) {
        throw new CallError('too_large', 'The answers so far are too long to continue.');
      }
      return `${body}.${sign(body).toString('base64url')}`;
    },
    open(owner, text) {
      const [body = '', signature = '', ...more] =
        text.length > 2 * MAX_CHARS ? [] : text.split('.');
      const received = Buffer.from(signature, 'base64url');
      const expected = sign(body);
      const isOurs =
        more.length === 0 &&
        received.length === expected.length &&
        timingSafeEqual(received, expected);
      // Base64 decoding is lenient, so another spelling of the same bytes must be rejected, too.
      if (!isOurs || expected.toString('base64url') !== signature)
        throw refused('it was changed on its way');
      const sealed = JSON.parse(Buffer.from(body, 'base64url').toString()) as Sealed;
      if (clock.now() - sealed.askedAt > LIFETIME_MS) throw refused('it is too old');
      const isFor =
        sealed.principal === owner.principal &&
        sealed.credential === owner.credential &&
        sealed.agent === owner.agent &&
        sealed.tool === owner.tool &&
        sealed.argsSha256 === owner.argsSha256;
      if (!isFor) throw refused('it belongs to another call');
      return sealed;
    },
  };
}

function refused(why: string): CallError {
  return new CallError('validation', `This requestState is invalid: ${why}.`, {
    field: 'requestState',
    fix: 'Make the call again without it.',
  });
}
