import type { Notice } from '#core/messages/notices.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { ProviderId } from '#core/provider.ts';
import type { Model } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';
import type { Resolved } from '#models/model.ts';

/** How a model's breaker stands. */
export interface Health {
  readonly is: 'closed' | 'half_open' | 'open';
  /** Why it is not closed. */
  readonly reason?: Reason;
  readonly retryInMs?: number;
}

/** What choosing a model may look at beside the request, as it is at this moment. */
export interface RouteWorld {
  /** The models of each role in the order they are tried. */
  readonly roles: Readonly<Record<RoleName, readonly Model[]>>;
  /** What is wrong with the names that are set for a role. */
  readonly roleNotices?: Readonly<Partial<Record<RoleName, readonly Notice[]>>>;
  /** The user's own server's, best first; none when there is no server. */
  readonly custom: readonly Model[];
  /** The model that OpenRouter has in the place of another; nothing without a key. */
  openrouter(like: Model): Model | undefined;
  /** Models of providers that stand at the end of every chain. */
  readonly fallbacks?: ReadonlyMap<ProviderId, readonly Model[]>;
  readonly local: Model;
  /** What a name means; a name that only OpenRouter or one's own server can know is theirs. */
  resolve(name: string): Resolved;
  /** Why it cannot be asked at all: no key, a list, switched off. */
  obstacle(model: Model): Reason | undefined;
  health(model: Model): Health;
  /** Whether its provider has its own search. */
  canSearch(model: Model): 'yes' | 'no';
  /** Typical time to the first word, where it is known. */
  firstTokenMs(model: Model): number | undefined;
  /** Real tokens for one estimated, learned; 1 where nothing is known. */
  correction(model: Model): number;
  /** What this caller may still spend today; nothing when there is no limit. */
  readonly budget: { readonly leftMicroUsd: number; readonly reason: Reason } | undefined;
  /** What happens when it is used up. */
  readonly whenSpent: 'step_down' | 'refuse';
  readonly intelligentSelection: 'on' | 'off';
  /** What a caller that names no model gets; `auto` as a rule. */
  readonly defaultModel: string;
  readonly localAnswers: 'text' | 'always' | 'never';
}
