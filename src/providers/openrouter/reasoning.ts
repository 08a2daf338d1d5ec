import type { JsonObject } from '#core/json/json.ts';
import type { Effort, Thinking } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import {
  clampEffort,
  NO_FIELDS,
  type RequestFields,
} from '../openai-compatible/request/request-fields.ts';
import { asObject } from '../openai-compatible/response/json.ts';

/**
 * `reasoning.effort`, with `none` for no thinking. A model whose reasoning is mandatory refuses
 * `none` and gets its lowest effort instead.
 */
export function writeReasoning(requested: Thinking | undefined, model: Model): RequestFields {
  if (!requested) return NO_FIELDS;
  const { title, thinking } = model;
  if (thinking.control === 'never' && model.confidence !== 'low') {
    const unsupported = notice('thinking_unsupported', { model: title });
    return { fields: {}, notices: requested.mode === 'on' ? [unsupported] : [] };
  }
  if (requested.mode === 'off') {
    if (thinking.control !== 'always') return { fields: withEffort('none'), notices: [] };
    const [lowest] = thinking.efforts;
    const about = { model: title, ...(lowest && { effort: lowest }) };
    return {
      fields: lowest ? withEffort(lowest) : {},
      notices: [notice('thinking_stays_on', about)],
    };
  }
  const { effort = 'medium' } = requested;
  const sent = effortFor(effort, model);
  const notices: Notice[] = [];
  if (sent === undefined) {
    if (requested.effort !== undefined)
      notices.push(notice('effort_unsupported', { model: title }));
  } else if (requested.effort !== undefined && sent !== effort)
    notices.push(notice('effort_changed', { model: title, effort, sent }));
  if (requested.keep === 'all') notices.push(notice('reasoning_not_kept', { model: 'OpenRouter' }));
  return { fields: sent ? withEffort(sent) : { reasoning: { enabled: true } }, notices };
}

/** The nearest supported effort. Without a description OpenRouter decides. */
function effortFor(effort: Effort, { thinking, confidence }: Model): Effort | undefined {
  return confidence === 'low' ? effort : clampEffort(effort, thinking.efforts);
}

/** Fields that reduce the thinking of this body; nothing when it is at the minimum. */
export function lessReasoning(body: JsonObject, { thinking }: Model): JsonObject | undefined {
  const least = thinking.control === 'always' ? thinking.efforts[0] : 'none';
  const now = asObject(body['reasoning'])?.['effort'];
  return least === undefined || now === least ? undefined : withEffort(least);
}

function withEffort(effort: Effort | 'none'): JsonObject {
  return { reasoning: { effort } };
}
