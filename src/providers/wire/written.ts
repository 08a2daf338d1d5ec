import type { JsonObject } from '#core/json.ts';
import type { Notice } from '#core/messages/notices.ts';

/** What a wish of the caller became, and what the caller ought to know about it. */
export interface WrittenFields {
  readonly fields: JsonObject;
  readonly notices: readonly Notice[];
}

export const NOTHING: WrittenFields = { fields: {}, notices: [] };

export interface WrittenRequest {
  readonly body: JsonObject;
  readonly notices: readonly Notice[];
  /** Names of the caller's tools that the model is given. */
  readonly tools: readonly string[];
}
