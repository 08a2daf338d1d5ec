import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import type { CallRequest } from '#core/calls/calls.ts';
import { METADATA_KEY } from '#core/calls/request-metadata.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { InputRequired, InputResponses } from '#core/tools/input-request.ts';
import type { CallOutcome } from './call-result.ts';
import type { PendingCall } from './coalesced-call.ts';
import { ownerOf, type RoundState, type StateSeal } from './request-state.ts';
import type { ResolvedCall } from './resolve-call.ts';

/**
 * The `input_required` outcome of a call with its sealed state; a failure if the client lacks a
 * capability.
 */
export function toInputRequired(
  { request, resolved, reqId }: PendingCall,
  required: InputRequired,
  seal: StateSeal,
): CallOutcome {
  const { inputRequests: questions, handle, abandon } = required;
  const { clientCapabilities = [] } = request;
  const kinds = new Set(Object.values(questions).map(({ is }) => is));
  const lacks = [...kinds].filter((kind) => !clientCapabilities.includes(kind));
  if (lacks.length > 0) {
    const what = lacks.map((kind) => INPUT_NAMES[kind]).join(' and ');
    const message = `${resolved.toolName} needs ${what}, which this client does not offer.`;
    const fix = 'Use a client that can be asked.';
    abandon?.();
    return { is: 'failure', error: new CallError('bad_request', message, { lacks, fix }) };
  }
  try {
    const state = seal.close(ownerOf(resolved, request), {
      answers: resolved.answers,
      asked: Object.keys(questions),
      reqId,
      ...(handle !== undefined && { handle }),
    });
    return { is: 'input_required', questions, state, ...(abandon && { abandon }) };
  } catch (thrown) {
    abandon?.();
    return { is: 'failure', error: CallError.from(thrown) };
  }
}

/** Input requests of calls that share their work are abandoned when each of them is. */
export function abandonedByAll(required: InputRequired, callers: number): InputRequired {
  const { abandon } = required;
  if (callers === 0) abandon?.();
  if (!abandon || callers <= 1) return required;
  let left = callers;
  const abandonOne = () => {
    left -= 1;
    if (left === 0) abandon();
  };
  return { ...required, abandon: abandonOne };
}

const INPUT_NAMES = {
  form: 'an answer of its user',
  visit: 'its user to visit a page',
  sample: "the client's own model",
  roots: 'the folders the client works in',
} as const;

/** Reserved name of the consent request. */
const CONSENT = 'exai.consent';

/**
 * Removes consent from responses: it counts only as the response to our request, and tools must not
 * see it.
 */
export function withoutConsent(answers: InputResponses): InputResponses {
  if (!Object.hasOwn(answers, CONSENT)) return answers;
  const { [CONSENT]: _, ...others } = answers;
  return others;
}

/** Consent is valid only for a short time. */
const GOOD_FOR_MS = 10 * 60 * 1000;
const MAX_USED = 10_000;

/** Consent of users to tool calls. */
export interface Consents {
  /**
   * The consent request, or undefined once the user has consented. Consent counts only once and
   * only for this call, which the sealed state proves.
   */
  ask(
    request: CallRequest,
    resolved: ResolvedCall,
    round: RoundState | undefined,
  ): InputRequired | undefined;
}

export function createConsents(clock: Clock): Consents {
  /** Used consents: id of the requesting call and time of use. */
  const used = new Map<string, number>();

  function use(reqId: string): void {
    const now = clock.monotonic();
    for (const [old, at] of used) {
      if (now - at < GOOD_FOR_MS && used.size < MAX_USED) break;
      used.delete(old);
    }
    if (used.has(reqId)) throw consentReused();
    used.set(reqId, now);
  }

  return {
    ask(request, { answers, toolName, tool }, round) {
      const wasAsked =
        round && (round.asked.includes(CONSENT) || Object.hasOwn(round.answers, CONSENT));
      const isRecent = wasAsked && clock.now() - round.askedAt < GOOD_FOR_MS;
      const response = isRecent && Object.hasOwn(answers, CONSENT) ? answers[CONSENT] : undefined;
      const action = response?.['action'];
      if (round && action === 'accept') {
        use(round.reqId);
        return undefined;
      }
      if (action === 'decline' || action === 'cancel') {
        const message = `The user did not allow ${toolName}.`;
        throw new CallError('permission', message, { field: 'name' });
      }
      const message = `${describeCall(request, tool?.title ?? toolName, toolName)} Allow it?`;
      const schema = { type: 'object', properties: {} };
      return { inputRequests: { [CONSENT]: { is: 'form', message, schema } } };
    },
  };
}

/** Describes the call for the consent form. */
function describeCall(
  { kind, caller, tool, args }: CallRequest,
  title: string,
  name: string,
): string {
  const { principal, agent } = caller;
  const client = clientNameOfPrincipal(principal);
  const who = agent === undefined ? client : `${agent} of ${client}`;
  if (kind === 'resource') return `${who} wants to read ${visibleText(tool)}.`;
  const what = kind === 'prompt' ? `the prompt ${title}` : `${title} (${name})`;
  return `${who} wants to use ${what} with ${formatArgs(args)}.`;
}

function consentReused(): CallError {
  return new CallError('validation', 'This requestState has already been used.', {
    field: 'requestState',
    fix: 'Make the call again without it, and ask again.',
  });
}

const MAX_VALUE_CHARS = 200;
const MAX_KEYS = 50;

/** Arguments for the consent form: all names, shortened values, no invisible characters. */
export function formatArgs(args: unknown): string {
  const entries = Object.entries(args ?? {}).filter(([name]) => name !== METADATA_KEY);
  if (entries.length === 0) return 'no arguments';
  const shown = entries.slice(0, MAX_KEYS).map(([name, value]) => {
    return `${shortened(visibleText(JSON.stringify(name)))}: ${shortened(visibleText(JSON.stringify(value) ?? 'nothing'))}`;
  });
  const more = entries.length - shown.length;
  return `{${shown.join(', ')}${more > 0 ? `, and ${more} more arguments` : ''}}`;
}

function shortened(json: string): string {
  const more = json.length - MAX_VALUE_CHARS;
  return more <= 0 ? json : `${json.slice(0, MAX_VALUE_CHARS)}… (${more} more characters)`;
}

/** Escapes control and format characters, which can hide or reorder the text around them. */
export function visibleText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
