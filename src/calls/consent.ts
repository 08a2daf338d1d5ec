import { CallError } from '#core/call-error.ts';
import type { Asking } from '#core/question.ts';
import type { Tool } from '#core/tool.ts';
import type { Draft } from './prepare.ts';
import type { RoundState } from './request-state.ts';

/** No tool's question is called so. */
const CONSENT = 'exai.consent';
const MAX_ARGS_CHARS = 500;

/**
 * A tool that needs a yes first: nothing once its user gave it, the question before. A yes counts only as the answer to
 * our question about this very call, which the sealed state proves.
 */
export function consentOf(
  { name, title }: Tool,
  { args, answers }: Draft,
  round: RoundState | undefined,
): Asking | undefined {
  const wasAsked = round?.asked.includes(CONSENT) || Object.hasOwn(round?.answers ?? {}, CONSENT);
  const action =
    wasAsked && Object.hasOwn(answers, CONSENT) ? answers[CONSENT]?.['action'] : undefined;
  if (action === 'accept') return undefined;
  if (action === 'decline' || action === 'cancel') {
    throw new CallError('permission', `The user did not let ${name} run.`, { field: 'name' });
  }
  const message = `May ${title} (${name}) run with ${shown(args)}?`;
  return {
    asks: { [CONSENT]: { is: 'form', message, schema: { type: 'object', properties: {} } } },
  };
}

function shown(args: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(args);
  if (json === '{}') return 'no arguments';
  if (json.length <= MAX_ARGS_CHARS) return json;
  return `${json.slice(0, MAX_ARGS_CHARS)}… (${json.length - MAX_ARGS_CHARS} more characters)`;
}
