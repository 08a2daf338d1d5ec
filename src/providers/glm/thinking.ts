import type { Thinking } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { enoughEffort } from '../wire/enough-effort.ts';
import { NOTHING, type WrittenFields } from '../wire/written.ts';

/** `thinking` and `reasoning_effort`. A caller that wishes for nothing gets the vendor's default. */
export function writeThinking(wish: Thinking | undefined, model: Model): WrittenFields {
  if (!wish) return NOTHING;
  const { control } = model.thinking;
  if (control === 'never') {
    const unsupported = notice('thinking_unsupported', { model: model.title });
    const notices = wish.mode === 'on' ? [unsupported] : [];
    return { fields: {}, notices };
  }
  return wish.mode === 'off' ? turnOff(model) : turnOn(wish, model);
}

function turnOff({ title, thinking }: Model): WrittenFields {
  if (thinking.control === 'switch')
    return { fields: { thinking: { type: 'disabled' } }, notices: [] };
  const [weakest] = thinking.efforts;
  return weakest === undefined
    ? { fields: {}, notices: [notice('thinking_stays_on', { model: title })] }
    : {
        fields: { reasoning_effort: weakest },
        notices: [notice('thinking_stays_on', { model: title, effort: weakest })],
      };
}

function turnOn({ effort, keep }: Thinking, { title, thinking }: Model): WrittenFields {
  const notices: Notice[] = [];
  const chosen = effort === undefined ? undefined : enoughEffort(effort, thinking.efforts);
  if (effort !== undefined && chosen === undefined)
    notices.push(notice('effort_unsupported', { model: title }));
  else if (effort !== undefined && chosen !== undefined && chosen !== effort)
    notices.push(notice('effort_changed', { model: title, effort, sent: chosen }));
  if (keep === 'all' && !thinking.keeps)
    notices.push(notice('reasoning_not_kept', { model: title }));
  return {
    fields: {
      thinking: {
        type: 'enabled',
        ...(keep !== undefined && thinking.keeps && { clear_thinking: keep === 'none' }),
      },
      ...(chosen !== undefined && { reasoning_effort: chosen }),
    },
    notices,
  };
}

/** Members that make the model think less than with this body; nothing when it already thinks as little as it can. */
export function lessThinking(body: JsonObject, { thinking }: Model): JsonObject | undefined {
  if (thinking.control === 'switch') {
    const now = body['thinking'] as JsonObject | undefined;
    return now?.['type'] === 'disabled' ? undefined : { thinking: { type: 'disabled' } };
  }
  const [weakest] = thinking.efforts;
  if (thinking.control === 'never' || weakest === undefined) return undefined;
  return body['reasoning_effort'] === weakest ? undefined : { reasoning_effort: weakest };
}

/** Whether thoughts of all earlier turns have to go back, unchanged. */
export function keepsThoughts(wish: Thinking | undefined, { thinking }: Model): boolean {
  return wish?.mode === 'on' && wish.keep === 'all' && thinking.keeps;
}
