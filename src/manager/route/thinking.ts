import { EFFORTS, type Effort } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Candidate, RequestClass, RouteFacts } from '#core/llm/route.ts';
import type { Model, ThinkingPolicy } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';

/** The requested reasoning effort, independent of a model. Undefined: the model's default. */
export type RequestedEffort =
  | { readonly mode: 'on'; readonly effort?: Effort }
  | { readonly mode: 'off' };

/** Roles for quick answers. */
const QUICK: ReadonlySet<string> = new Set<RoleName>(['kimiSpeed', 'glmSpeed', 'manager']);

/** The reasoning effort by the caller's argument, then the request class, then the model's role. */
export function requestedEffort(
  facts: Pick<RouteFacts, 'thinking' | 'prefer' | 'category'>,
  requestClass: RequestClass,
  role: RoleName | undefined,
): RequestedEffort | undefined {
  const { thinking, prefer, category } = facts;
  if (thinking === 'minimal') return { mode: 'off' };
  if (thinking) return { mode: 'on', effort: thinking };
  if (prefer === 'speed') return { mode: 'off' };
  if (requestClass === 'agentic') return { mode: 'on' };
  if (role !== undefined && QUICK.has(role)) return { mode: 'off' };
  if (category === 'extended_reasoning') return { mode: 'on' };
  if (requestClass === 'chat' || category === 'fast_response') return { mode: 'off' };
  return undefined;
}

/**
 * Maps the requested effort to what the model supports. A model that always thinks gets its lowest
 * effort for `off`.
 */
export function resolveThinking(
  model: Model,
  requested: RequestedEffort | undefined,
): Candidate['thinking'] {
  const { control, efforts } = model.thinking;
  if (!requested || control === 'never') return undefined;
  if (requested.mode === 'off') {
    return control === 'switch' ? { mode: 'off' } : withEffort(efforts[0]);
  }
  return withEffort(nearestEffort(efforts, requested.effort));
}

function withEffort(effort: Effort | undefined): NonNullable<Candidate['thinking']> {
  return { mode: 'on', ...(effort && { effort }) };
}

/** The nearest supported effort; the lower one of two equally near. */
function nearestEffort(
  efforts: ThinkingPolicy['efforts'],
  wanted: Effort | undefined,
): Effort | undefined {
  if (wanted === undefined) return undefined;
  const at = EFFORTS.indexOf(wanted);
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - at);
  return efforts.reduce<Effort | undefined>(
    (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
    undefined,
  );
}

/** Notices for a caller whose reasoning options were not applied. */
export function thinkingNotices(
  { thinking, prefer }: Pick<RouteFacts, 'thinking' | 'prefer'>,
  model: Model,
): readonly Notice[] {
  const notices: Notice[] = [];
  if (prefer === 'speed' && (thinking === 'high' || thinking === 'max')) {
    notices.push(notice('speed_against_thinking', { thinking }));
  }
  const { control } = model.thinking;
  if (thinking === 'minimal' && control === 'always') {
    notices.push(notice('model_always_thinks', { model: model.id }));
  }
  if (
    thinking &&
    thinking !== 'minimal' &&
    control === 'never' &&
    model.provider !== 'extractive'
  ) {
    notices.push(notice('model_never_thinks', { model: model.id, thinking }));
  }
  return notices;
}
