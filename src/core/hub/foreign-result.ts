import type { JsonObject } from '../json/json.ts';

/** The result of an upstream's tool, which is sent on as it came. */
export interface ForeignResult {
  /** The blocks with all their fields. */
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
  /** Its `_meta`. */
  readonly meta?: JsonObject;
}
