import { clientNameOf } from '#core/client-name.ts';
import { CallError } from '#core/call-error.ts';
import type { CallRequest } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Answers, Asking } from '#core/question.ts';
import type { Draft } from './prepare.ts';
import type { RoundState } from './request-state.ts';
import { plain, shownArgs } from './shown-args.ts';

/** No tool's question is called so. */
const CONSENT = 'exai.consent';

/** Without the yes: of a client it counts only as the answer to our question, and to a tool it is no answer at all. */
export function withoutConsent(answers: Answers): Answers {
  if (!Object.hasOwn(answers, CONSENT)) return answers;
  const { [CONSENT]: _, ...others } = answers;
  return others;
}

/** A yes is for what is about to happen. */
const GOOD_FOR_MS = 10 * 60 * 1000;
const MAX_USED = 10_000;

/** Who said yes to what. */
export interface Consents {
  /**
   * Of a tool that needs a yes first: nothing once its user gave it, the question before. A yes counts only as the answer
   * to our question about this very call, which the sealed state proves, and only once.
   */
  ask(request: CallRequest, draft: Draft, round: RoundState | undefined): Asking | undefined;
}

export function createConsents(clock: Clock): Consents {
  /** The states whose yes was used, by the call that asked, and when they were. */
  const used = new Map<string, number>();

  function use(reqId: string): void {
    const now = clock.monotonic();
    for (const [old, at] of used) {
      if (now - at < GOOD_FOR_MS && used.size < MAX_USED) break;
      used.delete(old);
    }
    if (used.has(reqId)) throw again();
    used.set(reqId, now);
  }

  return {
    ask(request, { answers, toolName, tool }, round) {
      const wasAsked =
        round && (round.asked.includes(CONSENT) || Object.hasOwn(round.answers, CONSENT));
      const isRecent = wasAsked && clock.now() - round.askedAt < GOOD_FOR_MS;
      const given = isRecent && Object.hasOwn(answers, CONSENT) ? answers[CONSENT] : undefined;
      const action = given?.['action'];
      if (round && action === 'accept') {
        use(round.reqId);
        return undefined;
      }
      if (action === 'decline' || action === 'cancel') {
        const message = `The user did not allow ${toolName}.`;
        throw new CallError('permission', message, { field: 'name' });
      }
      const message = `${wish(request, tool?.title ?? toolName, toolName)} Allow it?`;
      const schema = { type: 'object', properties: {} };
      return { asks: { [CONSENT]: { is: 'form', message, schema } } };
    },
  };
}

/** What is about to happen, as its user would put it. */
function wish({ kind, caller, tool, args }: CallRequest, title: string, name: string): string {
  const { principal, agent } = caller;
  const client = clientNameOf(principal);
  const who = agent === undefined ? client : `${agent} of ${client}`;
  if (kind === 'resource') return `${who} wants to read ${plain(tool)}.`;
  const what = kind === 'prompt' ? `the prompt ${title}` : `${title} (${name})`;
  return `${who} wants to use ${what} with ${shownArgs(args)}.`;
}

function again(): CallError {
  return new CallError('validation', 'This requestState is no good: its yes was used already.', {
    field: 'requestState',
    fix: 'Make the call again without it, and ask again.',
  });
}
