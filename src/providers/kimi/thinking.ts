import { EFFORTS, type ChatRequest, type Effort } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';

/** The part of a request that conflicts with thinking. */
export type ThinkingConflict = 'search' | 'forced_tool' | 'none';

export interface ThinkingChoice {
  readonly mode: 'on' | 'off';
  /** Whether the reasoning of earlier turns is sent back. */
  readonly keep: 'all' | 'tool_turns';
  readonly members: JsonObject;
  /** Fields that reduce thinking; nothing when that is impossible. */
  readonly less: JsonObject | undefined;
  readonly notices: readonly Notice[];
}

const OFF: JsonObject = { thinking: { type: 'disabled' } };

export function chooseThinking(
  { thinking, messages }: Pick<ChatRequest, 'thinking' | 'messages'>,
  model: Model,
  conflict: ThinkingConflict,
): ThinkingChoice {
  const { control, efforts, keeps } = model.thinking;
  const notices: Notice[] = [];
  const about = { model: model.title };
  const requestedMode = thinking?.mode;
  // A model that cannot stop thinking expects its reasoning with every turn; others keep it unless
  // the caller declines.
  const isKept = keeps && (control === 'always' || thinking?.keep !== 'none');
  const keep = isKept ? 'all' : 'tool_turns';

  if (control === 'never') {
    if (requestedMode === 'on') notices.push(notice('thinking_unsupported', about));
    return { mode: 'off', keep, members: {}, less: undefined, notices };
  }
  if (requestedMode === 'on' && thinking?.keep === 'all' && !keeps)
    notices.push(notice('reasoning_not_kept', about));
  if (control === 'switch') {
    const mode = switched(requestedMode, model, conflict);
    if (mode === 'off') {
      if (requestedMode === 'on') {
        const code = conflict === 'search' ? 'thinking_off_for_search' : 'thinking_off_for_tool';
        notices.push(notice(code, { ...about, provider: 'Kimi' }));
      }
      const members = requestedMode === 'off' || model.thinking.default === 'on' ? OFF : {};
      return { mode, keep: 'tool_turns', members, less: undefined, notices };
    }
    if (thinking?.effort !== undefined && efforts.length === 0)
      notices.push(notice('effort_unsupported', about));
    const hasTurns = messages.some(({ role }) => role === 'assistant');
    const keepField =
      keeps && (hasTurns || thinking?.keep !== undefined)
        ? { keep: keep === 'all' ? 'all' : null }
        : undefined;
    const members = {
      ...((requestedMode === 'on' || keepField) && { thinking: { type: 'enabled', ...keepField } }),
      ...effortMember(thinking?.effort, model, notices),
    };
    return { mode, keep, members, less: OFF, notices };
  }
  const [least] = efforts;
  if (requestedMode !== 'off') {
    const members = effortMember(thinking?.effort, model, notices);
    const isLeast = members['reasoning_effort'] === least;
    const less = least === undefined || isLeast ? undefined : { reasoning_effort: least };
    return { mode: 'on', keep, members, less, notices };
  }
  notices.push(
    notice('thinking_stays_on', { ...about, ...(least !== undefined && { effort: least }) }),
  );
  const members = least === undefined ? {} : { reasoning_effort: least };
  return { mode: 'on', keep, members, less: undefined, notices };
}

function switched(
  requestedMode: 'on' | 'off' | undefined,
  model: Model,
  conflict: ThinkingConflict,
): 'on' | 'off' {
  // A search and a forced tool are what was asked for; thinking is how.
  return conflict === 'none' ? (requestedMode ?? model.thinking.default) : 'off';
}

function effortMember(
  wanted: Effort | undefined,
  { thinking: { efforts }, title }: Model,
  notices: Notice[],
): JsonObject {
  if (wanted === undefined || efforts.length === 0) return {};
  const nearest = nearestEffort(wanted, efforts);
  if (nearest !== wanted)
    notices.push(notice('effort_changed', { model: title, effort: wanted, sent: nearest }));
  return { reasoning_effort: nearest };
}

/** Of two equally near efforts the stronger one. */
function nearestEffort(wanted: Effort, efforts: readonly Effort[]): Effort {
  const at = EFFORTS.indexOf(wanted);
  const away = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - at);
  return efforts.reduce((best, effort) => (away(effort) <= away(best) ? effort : best));
}
