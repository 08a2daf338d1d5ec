import { EFFORTS, type ChatRequest, type Effort } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';

/** What of a request only works without thinking. */
export type ThinkingConflict = 'search' | 'forced_tool' | 'none';

export interface ThinkingChoice {
  readonly mode: 'on' | 'off';
  /** Whether thoughts of earlier turns go back to the model. */
  readonly keep: 'all' | 'tool_turns';
  readonly members: JsonObject;
  /** Members that make it think less than this; nothing when it cannot. */
  readonly less: JsonObject | undefined;
  readonly notices: readonly Notice[];
}

const OFF: JsonObject = { thinking: { type: 'disabled' } };

export function chooseThinking(
  { thinking }: Pick<ChatRequest, 'thinking'>,
  model: Model,
  conflict: ThinkingConflict,
): ThinkingChoice {
  const { control, efforts, keeps } = model.thinking;
  const notices: Notice[] = [];
  const about = { model: model.title };
  const wants = thinking?.mode;
  const keep = wants === 'on' && keeps && thinking?.keep === 'all' ? 'all' : 'tool_turns';

  if (control === 'never') {
    if (wants === 'on') notices.push(notice('thinking_unsupported', about));
    return { mode: 'off', keep, members: {}, less: undefined, notices };
  }
  if (wants === 'on' && thinking?.keep === 'all' && !keeps)
    notices.push(notice('reasoning_not_kept', about));
  if (control === 'switch') {
    const mode = switched(wants, model, conflict);
    if (mode === 'off') {
      if (wants === 'on')
        notices.push(notice('thinking_off_for_search', { ...about, provider: 'Kimi' }));
      const members = wants === 'off' || model.thinking.default === 'on' ? OFF : {};
      return { mode, keep: 'tool_turns', members, less: undefined, notices };
    }
    if (thinking?.effort !== undefined && efforts.length === 0)
      notices.push(notice('effort_unsupported', about));
    const kept =
      keeps && thinking?.keep !== undefined ? { keep: keep === 'all' ? 'all' : null } : {};
    const members = {
      ...(wants === 'on' && { thinking: { type: 'enabled', ...kept } }),
      ...effortMember(thinking?.effort, model, notices),
    };
    return { mode, keep, members, less: OFF, notices };
  }
  const [least] = efforts;
  if (wants !== 'off') {
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
  wants: 'on' | 'off' | undefined,
  model: Model,
  conflict: ThinkingConflict,
): 'on' | 'off' {
  if (conflict === 'search') return 'off';
  // Thoughts that nobody asked for give way to the tool that somebody did ask for.
  if (conflict === 'forced_tool' && wants === undefined) return 'off';
  return wants ?? model.thinking.default;
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

/** Between two that are equally near, the stronger: who asks for some thought wants more than the least. */
function nearestEffort(wanted: Effort, efforts: readonly Effort[]): Effort {
  const at = EFFORTS.indexOf(wanted);
  const away = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - at);
  return efforts.reduce((best, effort) => (away(effort) <= away(best) ? effort : best));
}
