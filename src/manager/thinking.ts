import { EFFORTS, type Effort } from '#core/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Candidate, RequestClass, RouteFacts } from '#core/route.ts';
import type { Model, ThinkingPolicy } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';

/** How much thought is wanted, before any model is looked at. Nothing: as the model is used to. */
export type ThoughtWish =
  | { readonly mode: 'on'; readonly effort?: Effort }
  | { readonly mode: 'off' };

/** Parts that are there to be quick. */
const QUICK: ReadonlySet<string> = new Set<RoleName>(['kimiSpeed', 'glmSpeed', 'manager']);

/** What the caller said comes first, then what the request is, then the part that the model plays. */
export function thoughtWish(
  facts: Pick<RouteFacts, 'thinking' | 'prefer' | 'category'>,
  requestClass: RequestClass,
  role: RoleName | undefined,
): ThoughtWish | undefined {
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

/** The wish within what the model can. Who always thinks does so as little as it can where none is wanted. */
export function thinkingOf(model: Model, wish: ThoughtWish | undefined): Candidate['thinking'] {
  const { control, efforts } = model.thinking;
  if (!wish || control === 'never') return undefined;
  if (wish.mode === 'off') {
    return control === 'switch' ? { mode: 'off' } : withEffort(efforts[0]);
  }
  return withEffort(nearestEffort(efforts, wish.effort));
}

function withEffort(effort: Effort | undefined): NonNullable<Candidate['thinking']> {
  return { mode: 'on', ...(effort && { effort }) };
}

/** Of two that are equally near the weaker one. */
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

/** What the caller should know of the wishes about thinking that it had. */
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
  if (thinking && thinking !== 'minimal' && control === 'never' && model.provider !== 'local') {
    notices.push(notice('model_never_thinks', { model: model.id, thinking }));
  }
  return notices;
}
